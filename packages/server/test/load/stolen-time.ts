import { readFileSync } from 'node:fs'

/** The field of /proc/stat with the time in which a virtual machine was ready to run, but its host ran something else. */
const STEAL = 7
const FIELDS = 8

type Times = { stolen: number; all: number }

function readTimes(): Times {
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n')
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
