import { existsSync, readFileSync } from 'node:fs'

/** The field of /proc/stat with the time in which a virtual machine was ready to run, but its host ran something else. */
const STEAL = 7
const FIELDS = 8
const FILE = '/proc/stat'

type Times = { stolen: number; all: number }

function readTimes(): Times {
  const [line] = readFileSync(FILE, 'utf8').split('\n')
  const times = line!
    .trim()
    .split(/\s+/)
    .slice(1, 1 + FIELDS)
    .map(Number)
  return { stolen: times[STEAL]!, all: times.reduce((sum, time) => sum + time) }
}

/** How much processor time the host of this machine takes away, in percent: since it was created, and the most in one stretch. */
export class StolenTime {
  #start = readTimes()
  #stretch = this.#start
  #most = 0

  /** Ends a stretch and begins the next one. */
  mark(): void {
    const now = readTimes()
    this.#most = Math.max(this.#most, percent(this.#stretch, now))
    this.#stretch = now
  }

  read(): { percent: number; mostPercent: number } {
    return { percent: percent(this.#start, readTimes()), mostPercent: this.#most }
  }
}

function percent(from: Times, to: Times): number {
  return to.all === from.all ? 0 : (100 * (to.stolen - from.stolen)) / (to.all - from.all)
}

/** Of a second in which the host counts as away. Below, mail is as fast as without it. */
export const AWAY_PERCENT_MIN = 5
/** What the host has delayed is caught up by then. */
const CATCHING_UP_SECONDS = 2
/** What is late by more without the host is the program's. */
const LATE_MS = 100

/** The seconds in which the host takes processor time away. Other systems than Linux do not tell. */
export class HostAway {
  #seconds = new Set<number>()
  #read: () => Times
  #times: Times
  #lookedAt = performance.now()
  #timer: NodeJS.Timeout

  constructor(read = existsSync(FILE) ? readTimes : () => ({ stolen: 0, all: 0 })) {
    this.#read = read
    this.#times = read()
    this.#timer = setInterval(() => this.#look(), 1_000).unref()
  }

  #look(): void {
    const [times, at] = [this.#read(), performance.now()]
    if (percent(this.#times, times) >= AWAY_PERCENT_MIN) {
      for (let second = secondOf(this.#lookedAt); second <= secondOf(at); second++) this.#seconds.add(second)
    }
    this.#times = times
    this.#lookedAt = at
  }

  /** Whether the host was there when something was to happen, by `performance.now()`, and for the time before and after. */
  wasThere(dueAt: number): boolean {
    for (let second = secondOf(dueAt) - CATCHING_UP_SECONDS; second <= secondOf(dueAt + LATE_MS); second++) {
      if (this.#seconds.has(second)) return false
    }
    return true
  }

  close(): void {
    this.#look()
    clearInterval(this.#timer)
  }
}

const secondOf = (milliseconds: number) => Math.floor(milliseconds / 1_000)
