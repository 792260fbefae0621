import { readFileSync } from 'node:fs'

/** The memory of a process in MB, on Linux. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error(`Process ${pid} has ended.`)
  return (Number(kilobytes) * 1_024) / 1e6
}
