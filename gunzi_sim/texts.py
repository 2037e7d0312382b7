"""
Every sentence the command line shows, in English and in Chinese, in one table.

`Words(lang, ascii)` is called with a key and the values of its places. What is shown is *lines* of (text, style)
segments; only the command line knows colours. Styles: `""` plain, `"title"`, `"dim"`, `"red"` (hearts and diamonds, as
on the cards), `"win"` (also `"win red"`), `"points"`, `"bad"`. Left out: help texts and messages of errors, which are
English only.
"""

import unicodedata
from dataclasses import dataclass
from typing import Literal

from gunzi_sim import cards

Segment = tuple[str, str]
Line = list[Segment]
Lang = Literal["en", "zh"]

MARKS = {
    "lead": ("▸", ">"),
    "won": ("*", "*"),
    "dot": ("·", "-"),
    "to": ("→", "->"),
    "none": ("–", "-"),
    "half": ("±", "+-"),
    "times": ("×", "x"),
}
"""Marks as (symbol, ASCII form)."""

TEXTS: dict[str, tuple[str, str]] = {
    "game": ("Da Gunzi", "打滚子"),
    # one hand
    "hand.title": ("Hand", "一局"),
    "hand.source": ("seed {seed}, round {round}, hand {hand}", "种子 {seed}，第 {round} 轮，第 {hand} 局"),
    "hand.rules": ("rules", "规则"),
    "hand.levels": ("levels", "级数"),
    "hand.levels_text": (
        "side 0 (seats 0, 2) at {level_0}, side 1 (seats 1, 3) at {level_1}; this hand at {level}",
        "0 方（0、2 号位）打 {level_0}，1 方（1、3 号位）打 {level_1}；本局打 {level}",
    ),
    "hand.dealer": ("dealer", "庄家"),
    "hand.dealer_text": (
        "seat {dealer} for side {side}; seats {other} and {another} attack",
        "{dealer} 号位；{side} 方坐庄，{other}、{another} 号位抓分",
    ),
    "hand.first": ("first hand of a round", "一轮的首局"),
    "hand.trump": ("trump", "主牌"),
    "hand.seat": ("seat {seat}", "{seat} 号位"),
    "hand.seat_dealer": ("seat {seat} D", "{seat} 号位 庄"),
    # how the trump suit came about
    "trump.claim": ("claimed by seat {seat}", "{seat} 号位抢亮"),
    "trump.flip": ("by the seats' flip", "翻牌定主"),
    "trump.bottom": ("by a bottom card, nobody declared", "无人亮主，翻底定主"),
    "trump.declared": ("declared by seat {seat}", "{seat} 号位亮主"),
    # phases
    "deal": ("Deal", "发牌"),
    "deal.first": ("first card to seat {seat}", "{seat} 号位先抓牌"),
    "deal.trumps": ("trumps", "主牌"),
    "deal.side": ("others", "副牌"),
    "declare": ("Declarations", "亮主"),
    "claim": ("Claim and flip", "抢亮与翻牌"),
    "claim.made": ("seat {seat} claims the deal at its card {card}", "{seat} 号位抓到第 {card} 张牌时抢亮"),
    "claim.suit": ("{what} makes the trump suit: ", "{what} 定主："),
    "claim.suit_bottom": ("{what} from the bottom makes the trump suit: ", "底牌 {what} 定主："),
    "claim.none": ("nobody claims; the seats flip the bottom:", "无人抢亮，各家翻底牌："),
    "claim.flip": ("seat {seat}", "{seat} 号位"),
    "claim.flip_won": ("seat {seat} becomes the dealer", "{seat} 号位坐庄"),
    "declare.none": ("nobody declares; bottom cards are drawn: {what}", "无人亮主，翻底牌：{what}"),
    "declare.made": ("seat {seat} shows {what}: ", "{seat} 号位亮 {what}："),
    "declare.at": ("at its card {card}", "抓到第 {card} 张牌时"),
    "declare.closing": ("after the last card", "抓完牌后"),
    "tribute": ("Tribute", "进贡"),
    "tribute.none": ("none owed", "不欠贡"),
    "tribute.cancelled": (
        "{owed} owed, but the payer's partner holds three big jokers: none",
        "欠 {owed} 张，进贡方对家有三个大王：免贡",
    ),
    "tribute.reversed": ("reversed, for the payer holds three big jokers", "进贡者有三个大王，反贡"),
    "tribute.paid": ("seat {payer} gives seat {receiver} {what}", "{payer} 号位进贡给 {receiver} 号位：{what}"),
    "tribute.returned": ("seat {receiver} returns {what}", "{receiver} 号位还牌：{what}"),
    "tribute.short": ("{short} of {owed} waived, no more cards may be paid", "欠 {owed} 张，无牌可贡，免 {short} 张"),
    "bottom": ("Bottom", "底牌"),
    "bottom.exposed": ("shown to all", "亮底"),
    "bottom.hidden": ("not shown", "不亮底"),
    "bottom.points": ("{points} points", "{points} 分"),
    "bottom.dry": ("dry pot: the bottom stays, nobody buries", "干锅：底牌不动，不扣牌"),
    "bury": ("Bury", "扣底"),
    "bury.dealer": ("seat {seat} buries {what}", "{seat} 号位扣 {what}"),
    "bury.jokers": ("seat {seat} buries {what} and takes {taken}", "{seat} 号位扣王 {what}，取走 {taken}"),
    "bury.shown": ("final bottom, shown to all", "最终底牌，亮出"),
    "bury.hidden": ("final bottom, hidden", "最终底牌，不亮"),
    "play": ("Play", "出牌"),
    "play.trick": ("trick", "圈"),
    "play.points": ("points", "分"),
    "play.total": ("attackers", "抓分"),
    "play.legend": ("{lead} leads, {won} wins; D dealer", "{lead} 首家，{won} 最大"),
    # result
    "result": ("Result", "结果"),
    "result.dig": (
        "Dig: seat {seat} wins the last trick, the bottom's {points} points count {times} times.",
        "抠底：{seat} 号位赢末圈，底牌 {points} 分乘 {times}。",
    ),
    "result.hold": (
        "Hold: seat {seat} wins the last trick, the bottom's {points} points count for nobody.",
        "保底：{seat} 号位赢末圈，底牌 {points} 分不算。",
    ),
    "result.takes_deal": (
        "The attackers have {attacker_points} points ({win_score} needed) and take the deal.",
        "抓分方得 {attacker_points} 分（{win_score} 分上台），上台。",
    ),
    "result.keeps_deal": (
        "The attackers have {attacker_points} points ({win_score} needed); the dealers' side keeps the deal.",
        "抓分方得 {attacker_points} 分（{win_score} 分上台），庄家方守庄。",
    ),
    "result.raise": (
        "Side {side} rises by {levels}: {before} {to} {after}.",
        "{side} 方升 {levels} 级：{before} {to} {after}。",
    ),
    "result.no_raise": ("Nobody rises.", "不升级。"),
    "result.round": ("The round is over: {why}; side {side} wins it.", "本轮结束：{why}；{side} 方获胜。"),
    "result.next": (
        "Next hand: seat {dealer} deals, levels {level_0} and {level_1}, tribute owed {owed}.",
        "下一局：{dealer} 号位坐庄，双方打 {level_0} 和 {level_1}，欠贡 {owed} 张。",
    ),
    "result.settlement": ("Settlement: {list}.", "积分：{list}。"),
    "result.seat": ("seat {seat} {points}", "{seat} 号位 {points}"),
    "end.zero": ("the attackers have no point", "抓分方 0 分"),
    "end.score": ("the attackers reach {limit}", "抓分方满 {limit} 分"),
    "end.three_big": ("three big jokers lie in the bottom", "底牌有三个大王"),
    "end.three_small": ("three small jokers lie in the bottom", "底牌有三个小王"),
    "end.passed": ("the last level is passed", "打过最后一级"),
    "fault": ("This record breaks {clause}: {message}", "此记录违反 {clause}：{message}"),
}


@dataclass(frozen=True)
class Words:
    """
    The texts of one language.

    Attributes
    ----------
    lang : {"en", "zh"}
    ascii : bool
        Cards and marks in ASCII (`H5`, `>`); words stay in their language.
    """

    lang: Lang = "en"
    ascii: bool = False

    def __call__(self, key: str, **values: object) -> str:
        """Text of a key with its places filled."""
        return TEXTS[key][self.lang == "zh"].format(**values)

    def mark(self, name: str) -> str:
        """One of `MARKS` as this console can print it."""
        return MARKS[name][self.ascii]

    def card(self, kind: int) -> str:
        """Name of a kind of card: `♥10`, `big`; `红桃10`, `大王`; in ASCII the canonical `HT`, `JB`."""
        if self.ascii or kind >= cards.SMALL:
            return cards.pretty(kind, ascii=self.ascii, lang=self.lang)
        return self.suit_mark(cards.suit_of(kind)) + self.rank(cards.rank_of(kind))

    def rank(self, rank: int) -> str:
        """Rank 2..14 as it stands in a card's name."""
        return "10" if rank == 10 and not self.ascii else cards.RANKS[rank - 2]

    def suit_mark(self, suit: int) -> str:
        """What stands for a suit in a card's name: `♥`, `红桃`, `H`."""
        if self.ascii:
            return cards.SUITS[suit]
        return cards.SUIT_NAMES["zh"][suit] if self.lang == "zh" else cards.SUIT_SYMBOLS[suit]

    def suit(self, suit: int) -> str:
        """Name of a suit, with its symbol where there is one."""
        name = cards.SUIT_NAMES[self.lang][suit]
        return name if self.lang == "zh" or self.ascii else f"{cards.SUIT_SYMBOLS[suit]} {name}"


def width(text: str) -> int:
    """Columns a text takes in a terminal; Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def pad(text: str, columns: int) -> str:
    """The text with blanks up to a number of columns; a longer text as it is."""
    return text + " " * (columns - width(text))
