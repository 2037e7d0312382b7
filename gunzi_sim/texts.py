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
    # summary
    "summary.head": ("{starts}, {hands} hands", "{starts}，{hands} 局"),
    "summary.rounds": ("{n} rounds", "{n} 轮"),
    "summary.hands": ("{n} single hands", "{n} 个单局"),
    "summary.figure": ("figure", "项目"),
    "summary.estimate": ("estimate", "估计"),
    "summary.interval": ("{percent} interval", "{percent} 区间"),
    "summary.n_rounds": ("rounds", "轮数"),
    "summary.n_hands": ("hands", "局数"),
    "summary.unit": ("unit", "单位"),
    "summary.range": ("{lo} to {hi}", "{lo} 至 {hi}"),
    "figure.hands_per_round": ("hands a round", "每轮局数"),
    "figure.round_won_by_side_0": ("side 0 wins the round", "0 方胜轮"),
    "figure.attacker_points": ("attackers' points S", "抓分方得分 S"),
    "figure.attackers_take_deal": ("attackers take the deal", "抓分方上台"),
    "figure.attackers_dig": ("attackers win the last trick", "抓分方抠底"),
    "figure.dealers_raise": ("dealers' side rises", "庄家方升级"),
    "figure.attackers_raise": ("attackers rise", "抓分方升级"),
    "figure.settlement_side_0": ("settlement of side 0", "0 方积分"),
    "figure.bottom_jokers": ("jokers in the final bottom", "最终底牌的王"),
    "figure.bottom_points": ("points in the final bottom", "最终底牌的分"),
    "figure.exposed": ("dealt bottom shown", "亮底"),
    "figure.dry_pot": ("dry pots", "干锅"),
    "figure.tribute_moved": ("tribute cards paid", "进贡张数"),
    "figure.ends_without_points": ("round ends: 0 points", "0 分结束"),
    "figure.ends_by_score": ("round ends: 300 points", "满 300 分结束"),
    "figure.ends_by_three_big": ("round ends: three big jokers", "三大王结束"),
    "figure.ends_by_three_small": ("round ends: three small jokers", "三小王结束"),
    "figure.ends_by_passing": ("round ends: last level passed", "打过最后一级结束"),
    "figure.settlement": ("settlement of both seats", "两家积分"),
    "figure.round_won": ("rounds won", "赢得的轮"),
    "figure.levels": ("own side rises", "己方升级"),
    "figure.levels_given": ("other side rises", "对方升级"),
    "figure.settlement_dealing": ("settlement as dealers", "坐庄时积分"),
    "figure.settlement_attacking": ("settlement as attackers", "抓分时积分"),
    "figure.points_attacking": ("points as attackers", "抓分时得分"),
    "figure.points_given": ("points given as dealers", "坐庄时失分"),
    "figure.deals_taken": ("takes the deal as attackers", "抓分时上台"),
    "figure.deals_lost": ("loses the deal as dealers", "坐庄时下台"),
    "figure.digs": ("digs as attackers", "抓分时抠底"),
    "figure.dug": ("is dug as dealers", "坐庄时被抠底"),
    "unit.share of hands": ("of hands", "占局数"),
    "unit.share of rounds": ("of rounds", "占轮数"),
    "unit.card points": ("points/hand", "分/局"),
    "unit.levels": ("levels/hand", "级/局"),
    "unit.chips": ("chips/hand", "积分/局"),
    "unit.cards": ("cards/hand", "张/局"),
    "unit.hands": ("hands/round", "局/轮"),
    # comparisons
    "compare.head": (
        "{starts}, {hands} hands; differences from {baseline}",
        "{starts}，{hands} 局；与 {baseline} 之差",
    ),
    "compare.arm": ("arm", "方案"),
    "compare.estimate": ("estimate", "估计"),
    "compare.interval": ("{percent} interval", "{percent} 区间"),
    "compare.difference": ("difference", "差"),
    "compare.saved": ("saved", "节省倍数"),
    "compare.unit": ("unit", "单位"),
    "compare.sequential": (
        "The interval of this verdict holds at every look with {percent} together.",
        "此结论的区间在每次查看时同时成立（{percent}）。",
    ),
    "compare.path": ("seed {seed}: {path}", "种子 {seed}：{path}"),
    "verdict.better": (
        "{arm} is better than {baseline}: {figure} {gap} {unit} ({percent} interval {interval}), {starts}.",
        "{arm} 优于 {baseline}：{figure}之差 {gap} {unit}（{percent} 区间 {interval}），{starts}。",
    ),
    "verdict.worse": (
        "{arm} is worse than {baseline}: {figure} {gap} {unit} ({percent} interval {interval}), {starts}.",
        "{arm} 劣于 {baseline}：{figure}之差 {gap} {unit}（{percent} 区间 {interval}），{starts}。",
    ),
    "verdict.higher": (
        "Under {arm} {figure} is higher than under {baseline}: {gap} {unit} ({percent} interval {interval}), {starts}.",
        "{arm} 的{figure} 高于 {baseline}：相差 {gap} {unit}（{percent} 区间 {interval}），{starts}。",
    ),
    "verdict.lower": (
        "Under {arm} {figure} is lower than under {baseline}: {gap} {unit} ({percent} interval {interval}), {starts}.",
        "{arm} 的{figure} 低于 {baseline}：相差 {gap} {unit}（{percent} 区间 {interval}），{starts}。",
    ),
    "verdict.equal": (
        "{arm} and {baseline} are practically equal: {figure} {gap} {unit} ({percent} interval {interval}), {starts}.",
        "{arm} 与 {baseline} 实际相等：{figure}之差 {gap} {unit}（{percent} 区间 {interval}），{starts}。",
    ),
    "verdict.undecided": (
        "{arm} against {baseline} is undecided: {figure} {gap} {unit} ({percent} interval {interval}), {starts}.",
        "{arm} 与 {baseline} 未分高下：{figure}之差 {gap} {unit}（{percent} 区间 {interval}），{starts}。",
    ),
    "verdict.differing_hands": ("{share} % of deals were played otherwise.", "{share} % 的牌局打法不同。"),
    "verdict.differing_rounds": ("{share} % of rounds were played otherwise.", "{share} % 的轮打法不同。"),
    "verdict.saved": (
        "With deals of their own for every arm and seat order it would take {saved} times the hands.",
        "若各方案、各座次分别发牌，需要 {saved} 倍的局数。",
    ),
    # advice
    "advise.now": ("trying the answers", "正在试打"),
    "advise.progress": (
        "{done} of at most {all} hidden hands, {rate} a second, {left} s left at most",
        "已试 {done}/{all} 种暗牌，每秒 {rate}，最多还需 {left} 秒",
    ),
    "advise.head": (
        "{hands} hidden hands that agree with what seat {seat} knows, played on by {inner}",
        "符合 {seat} 号位所知的 {hands} 种暗牌，由 {inner} 打完",
    ),
    "advise.answer": ("answer", "打法"),
    "advise.value": ("value", "价值"),
    "advise.interval": ("{percent} interval", "{percent} 区间"),
    "advise.difference": ("less than best", "与最佳之差"),
    "advise.takes": ("attackers take deal", "抓分方上台"),
    "advise.dig": ("dig", "抠底"),
    "advise.points": ("S", "S"),
    "advise.more": ("{n} more answers, of lower value so far, are not shown.", "另有 {n} 种目前价值更低的打法未列出。"),
    "advise.only": ("{answer} is the only legal answer.", "只有 {answer} 一种合法打法。"),
    "advise.alike": (
        "All answers are worth the same on every hidden hand drawn.",
        "在所有抽到的暗牌中，各种打法价值相同。",
    ),
    "advise.of_equity": (
        "The intervals are of the hidden hands alone; the errors of the match equity table come on top.",
        "区间只含暗牌的误差；胜轮概率表自身的误差未计入。",
    ),
    "advise.none": ("none", "不扣"),
    "advise.decided": (
        "Best: {answer}. The others are worse, or as good ({percent} confidence).",
        "最佳：{answer}。其余较差或相当（{percent} 置信）。",
    ),
    "advise.open": (
        "Best so far: {answer}; not every other answer is ruled out with {percent} confidence.",
        "目前最佳：{answer}；尚不能以 {percent} 置信排除其他打法。",
    ),
    "advise.at_least": ("at least {n}", "至少 {n} 张"),
    "advise.fewer": ("fewer than {n}", "少于 {n} 张"),
    "advise.change": (
        "With {count} {what} {where} ({share} % of hidden hands), {answer} would be better by {gain} ({interval}).",
        "若{where}的{what}{count}（占暗牌 {share} %），则 {answer} 更好，多 {gain}（{interval}）。",
    ),
    "advise.no_change": (
        "No fact about hidden jokers or trumps that was looked at would change this.",
        "所查的王与主牌分布不会改变结论。",
    ),
    "advise.some": (
        "There are millions of legal answers; these are a selection.",
        "合法扣法数以百万计，此处只比较其中一部分。",
    ),
    "advise.some_of": (
        "{all} answers are legal; these {n} are a selection.",
        "合法打法共 {all} 种，此处只比较其中 {n} 种。",
    ),
    "advise.smaller": (
        "{share} % of results lead to more tribute than the match equity knows; they count as the most it knows.",
        "{share} % 的结果欠贡多于胜轮概率表所知，按表中最多者计。",
    ),
    "fact.big_jokers": ("big jokers", "大王"),
    "fact.small_jokers": ("small jokers", "小王"),
    "fact.trumps": ("trumps", "主牌"),
    "where.next": ("with the next seat", "下家"),
    "where.partner": ("with the partner", "对家"),
    "where.previous": ("with the previous seat", "上家"),
    "where.bottom": ("in the bottom", "底牌"),
    # run and demo
    "sentence.attackers_take_deal": (
        "In {starts} ({hands} hands) the attackers took the deal in {estimate} of hands (95 % interval {interval} %).",
        "{starts}（{hands} 局）中，抓分方在 {estimate} 的局里上台（95% 区间 {interval} %）。",
    ),
    "progress.rounds": ("{done} of {all} rounds, {rate} hands/s, {left}", "{done}/{all} 轮，{rate} 局/秒，{left}"),
    "progress.hands": ("{done} of {all} hands, {rate} hands/s, {left}", "{done}/{all} 局，{rate} 局/秒，{left}"),
    "progress.left": ("{seconds} left", "剩 {seconds}"),
    "run.compiling": ("compiling the engine, first run only (about a minute)", "首次运行，正在编译（约一分钟）"),
    "run.seed": ("seed {seed}", "种子 {seed}"),
    "run.done": ("{starts} ({hands} hands), seed {seed}: {path}", "{starts}（{hands} 局），种子 {seed}：{path}"),
    "demo.deal": ("The first deal of seed {seed}:", "种子 {seed} 的第一副牌："),
    "demo.plays": (
        "Now {rounds} rounds, four players of policy {policy}.",
        "现在打 {rounds} 轮，四家都用 {policy} 策略。",
    ),
    "demo.path": ("The results are in {path}. Next:", "结果在 {path}。接下来："),
    "demo.show": ("one hand, trick by trick", "逐圈看一局"),
    "demo.summary": ("all figures, by level of the hand", "按级数看全部统计"),
    "demo.record": ("the hands of round 0 as records", "第 0 轮的牌局记录"),
    # equity
    "equity.head": (
        "Round-win probability in percent with standard errors, from {hands} hands in {states} states",
        "胜轮概率（百分数，附标准误），{states} 个状态，共 {hands} 局",
    ),
    "equity.start": ("Side 0 at a round's start: {value}", "一轮开始时 0 方：{value}"),
    "equity.first": (
        "The side that comes to deal the first hand{dealer}: {value}",
        "首局的庄家方{dealer}：{value}",
    ),
    "equity.dealer": (" (dealer {seats})", "（{seats} 号位坐庄）"),
    "equity.table": (
        "The dealers' side{dealer}, tribute owed {owed}; down its own level, across that of the other side:",
        "庄家方{dealer}，欠贡 {owed} 张；竖为本方级数，横为对方级数：",
    ),
    # steps of a replay
    "step.deal": ("the cards are dealt, the first to seat {seat}", "发牌，{seat} 号位先抓"),
    "step.trump": ("{what}; trump: {trump}", "{what}；主牌：{trump}"),
    "step.takes_up": ("seat {seat} takes up the bottom: {what}", "{seat} 号位拿底牌：{what}"),
    "step.leads": ("seat {seat} leads {what}", "{seat} 号位首家出 {what}"),
    "step.plays": ("seat {seat} plays {what}", "{seat} 号位跟 {what}"),
    "step.wins": ("; seat {seat} wins the trick, {points} points", "；{seat} 号位最大，收 {points} 分"),
    "step.score": (
        "attackers {attackers}, dealers' side {dealers} points",
        "抓分方 {attackers} 分，庄家方 {dealers} 分",
    ),
    # report
    "report.of_run": ("{game}: {starts}, {hands} hands", "{game}：{starts}，{hands} 局"),
    "report.part": (
        "The run is not complete: {done} of {all} are there, and only these are counted.",
        "运行未完成：共 {all}，已有 {done}；只统计已有部分。",
    ),
    "report.setup": ("What was played", "打的是什么"),
    "report.game": ("game", "玩法"),
    "report.rules": ("rules", "规则"),
    "report.preset": ("preset {preset}", "预设 {preset}"),
    "report.changed": ("differing from the preset", "与预设不同之处"),
    "report.option": ("option", "选项"),
    "report.here": ("here", "此处"),
    "report.there": ("preset", "预设"),
    "report.unchanged": ("every option as in the preset", "所有选项同预设"),
    "report.policies": ("policies", "策略"),
    "report.seed": ("seed", "种子"),
    "report.size": ("size", "规模"),
    "report.start": ("start of each hand", "每局起点"),
    "report.first_hand": ("first hand of a round, levels {levels}", "一轮的首局，双方打 {levels}"),
    "report.later_hand": (
        "levels {levels}, dealer seat {dealer}, tribute owed {owed}",
        "双方打 {levels}，{dealer} 号位坐庄，欠贡 {owed} 张",
    ),
    "report.deals": ("given deals", "指定发牌"),
    "report.versions": ("versions", "版本"),
    "report.figures": ("Figures", "统计"),
    "report.figures_note": (
        "Intervals are clustered by independent start; n counts these.",
        "区间按独立起点聚类；n 为独立起点数。",
    ),
    "report.running": ("As the estimates came in", "估计值的变化"),
    "report.running_note": (
        "The figure after the first n of all {starts}. The band is a confidence sequence: with {percent} confidence "
        "the true value lies in it at every n at once, so it may be looked at at any time. It is wider than an "
        "interval that holds for the end alone. It is asymptotic, and begins at n = {first}.",
        "前 n 个起点的估计（共 {starts}）。色带是置信序列：真值以 {percent} 的把握在所有 n 处同时落在带内，"
        "随时查看都有效；它比只对终点有效的区间宽。它是渐近的，从 n = {first} 画起。",
    ),
    "report.running_none": ("Too few starts to draw this.", "起点太少，无法画出。"),
    "report.n_rounds": ("rounds so far (log scale)", "已打轮数（对数刻度）"),
    "report.n_hands": ("hands so far (log scale)", "已打局数（对数刻度）"),
    "report.distributions": ("Distributions", "分布"),
    "report.bars_note": ("n = {n}; the dashed line is the mean, {mean}.", "n = {n}；虚线为平均值 {mean}。"),
    "report.bars_width": ("A bar holds {width} values.", "每柱含 {width} 个值。"),
    "report.share_hands": ("share of hands", "占局数"),
    "report.share_rounds": ("share of rounds", "占轮数"),
    "report.value": ("value", "值"),
    "report.count": ("number", "个数"),
    "report.data": ("the numbers", "数据"),
    "report.heat": ("Heat maps", "热图"),
    "report.heat_note": (
        "Hatched: fewer than {thin} independent starts behind the cell, too few to rest on. Empty: none.",
        "斜线格：独立起点少于 {thin}，不足为凭。空白：没有。",
    ),
    "report.starts": ("starts", "起点数"),
    "report.rows": ("hands", "局数"),
    "report.error": ("standard error", "标准误"),
    "report.thin": ("thin", "少"),
    "report.replays": ("Hands behind the numbers", "数字背后的牌局"),
    "report.replays_note": (
        "The two hands with the largest gain and the two with the largest loss in {figure}, and the first two at the "
        "median ({median}). Step by the buttons, or with a replay in focus by the arrow keys, Home and End.",
        "{figure}最多与最少的各两局，以及中位数（{median}）的前两局。"
        "点按钮，或选中后按左右方向键、Home、End 逐步查看。",
    ),
    "report.legend": (
        "{lead} leads, {won} is ahead in the trick, tinted cards are trumps; all hands lie open.",
        "{lead} 首家，{won} 本圈最大，底色标主牌；四家明牌。",
    ),
    "report.replay": ("{why}: {gain}", "{why}：{gain}"),
    "report.gain": ("large gain", "大赢"),
    "report.loss": ("large loss", "大输"),
    "report.median": ("median", "中位"),
    "report.round_hand": ("round {unit}, hand {hand}", "第 {unit} 轮，第 {hand} 局"),
    "report.hand": ("hand {unit}", "第 {unit} 局"),
    "report.again": ("in a terminal: {command}", "终端命令：{command}"),
    "report.no_replays": ("These hands cannot be shown: {why}", "无法展示这些牌局：{why}"),
    "report.no_script": (
        "Stepping needs JavaScript; every hand is below as text.",
        "逐步回放需要 JavaScript；下面有全文。",
    ),
    "report.as_text": ("the whole hand as text", "整局文字"),
    "report.control": ("replay control", "回放控制"),
    "report.first": ("first step", "第一步"),
    "report.back": ("step back", "上一步"),
    "report.forward": ("step forward", "下一步"),
    "report.last": ("last step", "最后一步"),
    "report.previous_trick": ("previous trick", "上一圈"),
    "report.next_trick": ("next trick", "下一圈"),
    "report.parting": ("where they part", "分歧处"),
    "report.position": ("step", "步"),
    "report.seat": ("seat", "座位"),
    "report.table": ("table", "桌面"),
    "report.cards": ("hand", "手牌"),
    "report.of_arms": ("{game}: {arms} arms on the same deals, {starts}", "{game}：{arms} 个方案打同样的牌，{starts}"),
    "report.arms": ("Arms", "方案"),
    "report.arm": ("arm", "方案"),
    "report.arm_changes": ("changes", "改动"),
    "report.arm_policies": ("policies by seat", "各座策略"),
    "report.baseline": ("baseline", "基准"),
    "report.of_side": (
        "Every deal is played with the arm as side 0 (as listed) and again as side 1; figures are those of its side.",
        "每副牌方案先作 0 方（如表）、再作 1 方各打一次；统计的是方案一方。",
    ),
    "report.of_hand": (
        "The arms differ in rules only and all seats play alike; the figures are those of the hand.",
        "各方案只有规则不同，四家打法相同；统计的是整局。",
    ),
    "report.field": ("What the arms start from", "各方案的共同起点"),
    "report.judged_by": ("judged by", "评判项目"),
    "report.equivalence": ("differences that do not matter", "可忽略的差"),
    "report.until": ("ends", "结束条件"),
    "report.until_end": ("after all that was planned", "打满计划数"),
    "report.until_decided": ("when every verdict is reached", "各方案均有结论"),
    "report.until_half_width": ("when no interval is wider than {width} to each side", "区间半宽均不超过 {width}"),
    "report.differences": ("Differences from {baseline}", "与 {baseline} 之差"),
    "report.differences_of": ("Each arm less {baseline}.", "各方案减 {baseline}。"),
    "report.differences_note": (
        "Differences are paired: all arms play the same deals. Their {percent} intervals hold for all arms together. "
        "Saved: how many times as many hands deals of their own would take for intervals of the same width.",
        "成对之差：各方案打同样的牌。{percent} 区间对所有方案同时成立。"
        "节省倍数：若各发各的牌，要同样宽的区间需要多少倍的局数。",
    ),
    "report.gap": ("{figure}: {arm} less {baseline}", "{figure}：{arm} 减 {baseline}"),
    "report.gaps": ("Distribution of differences", "差的分布"),
    "report.gaps_note_hands": (
        "Sums over the hands of one deal, of the deals with another play or result than the baseline's.",
        "每副牌各局之和，只含打法或结果与基准不同的牌。",
    ),
    "report.gaps_note_rounds": (
        "Sums over the hands of one round, of the rounds with another play or result than the baseline's.",
        "每轮各局之和，只含打法或结果与基准不同的轮。",
    ),
    "report.alike_hands": ("{share} % of deals show no difference and are left out.", "无差别的牌占 {share}%，未画。"),
    "report.alike_rounds": (
        "{share} % of rounds show no difference and are left out.",
        "无差别的轮占 {share}%，未画。",
    ),
    "report.alike_all": ("Nothing differs.", "没有差别。"),
    "report.deals_behind": ("Deals behind the difference", "差别背后的牌局"),
    "report.pairs_note": (
        "{arm} beside {baseline}: the two deals with the largest gain and the two with the largest loss in {figure}, "
        "and the first two at the median ({median}) of those that differ. Both step together; from where they part the "
        "moves have another colour. Step by the buttons, or with a replay in focus by the arrow keys, Home and End.",
        "{arm} 与 {baseline} 并排：{figure}多得与少得最多的各两副牌，以及有差别者的中位数（{median}）的前两副。"
        "两边同步；分歧之后底色不同。点按钮，或选中后按左右方向键、Home、End 逐步查看。",
    ),
    "report.arm_side": ("the arm is side {side}, seats {one} and {other}", "方案为 {side} 方（{one}、{other} 号位）"),
    "report.part_at": ("they part at step {step}", "第 {step} 步分歧"),
    "report.made_by": ("made by gunzi_sim {version}", "由 gunzi_sim {version} 生成"),
    "report.done": ("report: {path}", "报告：{path}"),
    "dist.hands_per_round": ("hands of a round", "每轮局数"),
    "dist.attacker_points": ("attackers' points S", "抓分方得分 S"),
    "dist.settlement_side_0": ("settlement of side 0", "0 方积分"),
    "dist.tricks": ("tricks of a hand", "每局圈数"),
    "report.heat_deals": ("The first {n} deals.", "取前 {n} 副牌。"),
    "report.gap_by_deal": ("{gap}, by jokers dealt", "{gap}，按抓到的王"),
    "axis.big_dealers": ("big jokers dealt to the dealers' side", "庄家方抓到的大王"),
    "axis.small_dealers": ("small jokers dealt to the dealers' side", "庄家方抓到的小王"),
    "heat.takes_deal_by_levels": ("attackers take the deal, by levels", "抓分方上台率，按级数"),
    "heat.takes_deal_by_jokers": ("attackers take the deal, by jokers dealt to them", "抓分方上台率，按抓到的王"),
    "axis.level_dealers": ("level of the dealers' side", "庄家方级数"),
    "axis.level_attackers": ("level of the attackers", "抓分方级数"),
    "axis.big_attackers": ("big jokers dealt to the attackers", "抓分方抓到的大王"),
    "axis.small_attackers": ("small jokers dealt to the attackers", "抓分方抓到的小王"),
    # bench
    "bench.head": (
        "One plain shuffle of the deck takes {ns} ns; medians of {repeats} comparisons, one thread, warm.",
        "普通洗一副牌 {ns} 纳秒；{repeats} 次对比的中位数，单线程，已编译。",
    ),
    "bench.what": ("what", "项目"),
    "bench.ns_per_hand": ("ns a hand", "纳秒/局"),
    "bench.shuffles": ("shuffles a hand", "洗牌数/局"),
    "bench.hands_per_s": ("hands/s", "局/秒"),
    "bench.ns_per_decision": ("ns a decision", "纳秒/决策"),
    "bench.own": (
        "A user's policy takes {ratio} of the time of the built-in one.",
        "自写策略用时为内置策略的 {ratio}。",
    ),
    "bench.compare": (
        "A comparison of two arms plays {ratio} times the hands a second of a plain run.",
        "两方案比较每秒局数为普通运行的 {ratio} 倍。",
    ),
    "bench.bytes": ("A stored hand takes {bytes} bytes.", "每局存储 {bytes} 字节。"),
    "bench.threads": (
        "Two threads do {ratio} times the work of one ({cpus} CPUs).",
        "双线程为单线程的 {ratio} 倍（{cpus} 个 CPU）。",
    ),
    "bench.starts": (
        "A first run compiles and takes {cold} s in all; after that {rounds} rounds take {warm} s with everything.",
        "首次运行含编译共 {cold} 秒；此后命令行运行 {rounds} 轮共 {warm} 秒。",
    ),
    "bench.now": ("measuring {what}", "正在测量 {what}"),
    # doctor
    "doctor.versions": ("versions", "版本"),
    "doctor.system": ("system", "系统"),
    "doctor.cpu": ("processor", "处理器"),
    "doctor.threads": ("threads", "线程"),
    "doctor.threads_text": ("{threads} by default, of {cpus} CPUs", "默认 {threads} 个，共 {cpus} 个 CPU"),
    "doctor.compiler": ("compiler", "编译"),
    "doctor.on": ("on", "开"),
    "doctor.off": ("off (NUMBA_DISABLE_JIT is set): everything is slow", "关（设了 NUMBA_DISABLE_JIT）：很慢"),
    "doctor.cache": ("cache", "缓存"),
    "doctor.warm": ("compiled: the next run starts at once", "已编译：下次立即开始"),
    "doctor.cold": ("empty: the next run compiles first, once", "空：下次运行先编译一次"),
    "doctor.unwritable": ("cannot be written: every run compiles", "不可写：每次都要编译"),
    "doctor.rng": ("random", "随机数"),
    "doctor.rng_ok": ("gunzi-rng/1 gives the published numbers", "gunzi-rng/1 与公布的数一致"),
    "doctor.run": ("run", "运行"),
    "doctor.run_text": (
        "{ok} shards hold, {bad} do not, {all} when complete",
        "{ok} 个分片完好，{bad} 个损坏，共应有 {all} 个",
    ),
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
    ascii_marks : bool
        Marks alone in ASCII, for a console that has the words and names of cards but not every mark.
    """

    lang: Lang = "en"
    ascii: bool = False
    ascii_marks: bool = False

    def __call__(self, key: str, **values: object) -> str:
        """Text of a key with its places filled."""
        return TEXTS[key][self.lang == "zh"].format(**values)

    def mark(self, name: str) -> str:
        """One of `MARKS` as this console can print it."""
        return MARKS[name][self.ascii or self.ascii_marks]

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
