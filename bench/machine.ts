import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

export type Machine = { node: string; platform: string; processor: string; cores: number; memoryGigabytes: number }

/** What the figures depend on, without anything that identifies the machine. */
export function describeMachine(): Machine {
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
  }
}

/** More load, or a larger share of the time, is worth a note. */
const IDLE_LOAD_MAX = 0.5
const TAKEN_SHARE_MAX = 0.02

/** Notes about other work: the load of the minute before, and what other virtual machines took until the returned function is called. */
export function watchOtherWork(): () => string[] {
  const load = loadavg()[0] ?? 0
  const before = processorTime()
  return () => {
    const after = processorTime()
    const taken = after.taken - before.taken
    const share = taken / Math.max(1, after.used - before.used + taken)
    const notes: string[] = []
    if (load > IDLE_LOAD_MAX) {
      const shown = load.toFixed(2)
      notes.push(
        `The machine was busy when the benchmark started (load ${shown}): the figures are worse than on an idle machine.`,
      )
    }
    if (share > TAKEN_SHARE_MAX) {
      const shown = Math.round(100 * share)
      notes.push(
        `The machine was busy with other virtual machines, which took ${shown} % of the processor time that was needed.`,
      )
    }
    return notes
  }
}

/** In ticks: what ran, and what waited while other virtual machines ran. Only Linux counts that. */
function processorTime(): { used: number; taken: number } {
  if (process.platform !== 'linux') return { used: 0, taken: 0 }
  const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/ +/)
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, taken = 0] = ticks.map(Number)
  return { used: user + nice + system + interrupts + softInterrupts, taken }
}
