import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { processMeasures } from '../../observe/overload-measures.ts'
import { findMailhatchOn } from '../../program/port-holder.ts'
import { receivesMail, type Installation } from './installation.ts'

const CGROUPS = '/sys/fs/cgroup'

export type ServerProcess = {
  /** Null if the limits are those of this command, because no server of this user runs. */
  pid: string | null
  /** Null where the system does not say. */
  filesMax: number | null
  filesOpen: number | null
  memoryBytesMax: number
}

/** The limits of the running server, which may have been started with others than this shell. Else those of this command. */
export function findServerProcess(installation: Installation): ServerProcess {
  const pid = findPid(installation)
  const folder = `/proc/${pid ?? 'self'}`
  return {
    pid,
    filesMax: filesMaxIn(readText(`${folder}/limits`)),
    filesOpen: pid === null ? null : countFiles(`${folder}/fd`),
    memoryBytesMax: Math.min(processMeasures.memory().limitBytes, pid === null ? Infinity : memoryMaxOf(folder)),
  }
}

function findPid(installation: Installation): string | null {
  const { program, config, apiUrl } = installation
  const ofApi = program === 'worker' ? [] : [config.port, Number(new URL(apiUrl).port)]
  const ofWorker = receivesMail(installation) ? [config.smtpPort, config.workerPort] : []
  for (const port of [...ofApi, ...ofWorker]) {
    const pid = port > 0 ? findMailhatchOn(port) : null
    if (pid !== null) return pid
  }
  return null
}

/** The first number is the limit that applies. Node raises it to the second at its start. */
export function filesMaxIn(limits: string): number | null {
  const [, current] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  if (current === undefined) return null
  return current === 'unlimited' ? Infinity : Number(current)
}

/** Of version 2 of control groups. A limit of a parent applies too. */
function memoryMaxOf(folder: string): number {
  const [, path] = /^0::(.*)$/m.exec(readText(`${folder}/cgroup`)) ?? []
  if (path === undefined) return Infinity
  const parts = path.split('/').filter((part) => part !== '')
  const limits = [...parts, ''].map((_, count) => {
    const text = readText(join(CGROUPS, ...parts.slice(0, count), 'memory.max')).trim()
    return /^\d+$/.test(text) ? Number(text) : Infinity
  })
  return Math.min(...limits)
}

function countFiles(folder: string): number | null {
  try {
    return readdirSync(folder).length
  } catch {
    return null
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
