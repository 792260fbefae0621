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

/** Null if the machine is idle; otherwise a note with the load of the last minute. */
export function findOtherWork(): string | null {
  const IDLE_LOAD_MAX = 0.5
  const load = loadavg()[0] ?? 0
  if (load <= IDLE_LOAD_MAX) return null
  return `The machine was busy when the benchmark started (load ${load.toFixed(2)}): the figures are worse than on an idle machine.`
}
