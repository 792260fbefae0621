import { readFileSync } from 'node:fs'

/** The memory of a process in MB, on Linux. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error(`Process ${pid} has ended.`)
  return (Number(kilobytes) * 1_024) / 1e6
}

/** The most memory that a process has ever had, in MiB, on Linux. */
export function largestMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) / 1024)
}
