// What belongs together on a page: lines of the program, boxes of the picture, findings. A part that shows one of
// them tells the others what is pointed at, and they light up what they have of it.

class Links {
  constructor() {
    this.listeners = [];
    this.choosers = [];
  }

  /** A line is "file:number"; an empty list points at nothing. */
  static key({ file, line }) {
    return file && line ? `${file}:${line}` : null;
  }

  point(lines) {
    const lit = new Set(lines.filter(Boolean));
    for (const listener of this.listeners) listener(lit);
  }

  /** Ask every part to bring a line into sight and to choose it. */
  choose(line, from) {
    for (const [owner, chooser] of this.choosers) if (owner !== from) chooser(line);
  }

  /** Forget the parts of a call that is no longer shown. */
  clear() {
    this.listeners = [];
    this.choosers = [];
  }

  onPoint(listener) {
    this.listeners.push(listener);
  }

  onChoose(owner, chooser) {
    this.choosers.push([owner, chooser]);
  }
}
