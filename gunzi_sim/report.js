// Steps through the replays of a report. No rule of a game is known here: every step holds all that is shown.
"use strict";
(() => {
  const deck = JSON.parse(document.getElementById("deck").textContent);

  const make = (name, kind, text) => {
    const node = document.createElement(name);
    if (kind) node.className = kind;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // Cards are letters of deck.letters; a hand is groups of them with blanks between, the first group being trumps.
  const card = (letter) => {
    const kind = deck.letters.indexOf(letter);
    return make("span", deck.red.includes(kind) ? "card red" : "card", deck.names[kind]);
  };
  const cards = (letters) => [...letters].map(card);
  const hand = (text) =>
    text.split(" ").map((letters, place) => {
      const group = make("span", place ? "group" : "group trumps");
      group.append(...cards(letters));
      return group;
    });

  const show = (board, step) => {
    const part = (name) => board.querySelector(`[data-part="${name}"]`);
    part("phase").textContent = step.phase;
    part("text").textContent = step.text;
    part("score").textContent = step.score;
    part("bottom").replaceChildren(...cards(step.bottom));
    board.querySelectorAll("[data-seat]").forEach((row, seat) => {
      row.classList.toggle("moved", seat === step.moved);
      row.classList.toggle("best", seat === step.best);
      row.querySelector(".mark").textContent = seat === step.lead ? deck.lead : "";
      row.querySelector(".on-table").replaceChildren(...cards(step.table[seat]));
      if (seat === step.best) row.querySelector(".on-table").append(make("span", "won", deck.won));
      row.querySelector(".in-hand").replaceChildren(...hand(step.hands[seat]));
    });
  };

  const start = (replay) => {
    const data = JSON.parse(replay.querySelector(".steps").textContent);
    const boards = [...replay.querySelectorAll(".board")];
    const slider = replay.querySelector("input");
    const count = replay.querySelector(".count");
    const last = Math.max(...data.boards.map((steps) => steps.length)) - 1;
    const tricks = data.boards[0].map((step) => step.trick);
    let at = 0;

    const go = (wanted) => {
      at = Math.min(Math.max(wanted, 0), last);
      boards.forEach((board, which) => {
        const steps = data.boards[which];
        show(board, steps[Math.min(at, steps.length - 1)]);
      });
      replay.dataset.at = at;
      replay.classList.toggle("parted", data.parting !== null && at >= data.parting);
      slider.value = at;
      count.textContent = `${at + 1} / ${last + 1}`;
      for (const button of replay.querySelectorAll("[data-go]")) {
        const atEnd = ["first", "back", "previous"].includes(button.dataset.go) ? at === 0 : at === last;
        button.setAttribute("aria-disabled", atEnd && button.dataset.go !== "parting");
      }
    };

    // The first step of the trick before or after; beyond the tricks, the end.
    const nextTrick = () => {
      const found = tricks.findIndex((trick, place) => place > at && trick !== tricks[place - 1]);
      return found < 0 ? last : found;
    };
    const previousTrick = () => {
      let found = Math.min(at, tricks.length - 1);
      if (found > 0 && tricks[found] !== tricks[found - 1]) found -= 1;
      while (found > 0 && tricks[found] === tricks[found - 1]) found -= 1;
      return found;
    };
    const moves = {
      first: () => 0,
      back: () => at - 1,
      forward: () => at + 1,
      last: () => last,
      previous: previousTrick,
      next: nextTrick,
      parting: () => data.parting,
    };
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };

    replay.addEventListener("click", (event) => {
      const button = event.target.closest("[data-go]");
      if (button) go(moves[button.dataset.go]());
    });
    replay.addEventListener("keydown", (event) => {
      const plain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
      if (!plain || !(event.key in keys)) return;
      event.preventDefault(); // or the slider, in focus, would step once more
      go(moves[keys[event.key]]());
    });
    slider.max = last;
    slider.addEventListener("input", () => go(Number(slider.value)));
    go(0);
  };

  document.querySelectorAll(".replay").forEach(start);
})();
