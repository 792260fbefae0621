import type { Config } from './config.ts'
import { takePort, type TakenPort } from '../http/listen.ts'
import { findPortHolder } from './port-holder.ts'

/** A port to listen on, with the variables that set it. */
export type WantedPort = { variable: string; hostVariable: string; host: string; port: number }

/** How many ports above a busy one are tried. */
const TRIES = 100
const PORT_MAX = 65_535
/** Ports below are reserved. The usual replacement of 25 is 8025. */
const RESERVED_BELOW = 1_024
const INSTEAD_OF_RESERVED = 8_000

/** Reserves all ports, or none. The error describes every port that cannot be used, and a free one instead. */
export async function takePorts<Name extends string>(
  wanted: Record<Name, WantedPort>,
): Promise<Record<Name, TakenPort>> {
  const entries = Object.entries<WantedPort>(wanted)
  const results = await Promise.allSettled(entries.map(([, { host, port }]) => takePort({ host, port })))
  const taken = results.flatMap((result, index) =>
    result.status === 'fulfilled' ? [[entries[index]![0], result.value] as const] : [],
  )
  // Every name is in one of the results.
  if (taken.length === entries.length) return Object.fromEntries(taken) as Record<Name, TakenPort>
  releasePorts(Object.fromEntries(taken))
  const failed = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ ...entries[index]![1], error: result.reason as unknown }] : [],
  )
  throw await explain(
    failed,
    entries.map(([, { port }]) => port),
  )
}

function releasePorts(taken: Record<string, TakenPort>): void {
  for (const { socket } of Object.values(taken)) socket.close()
}

/** At the beginning, so that a start that cannot succeed changes nothing, and all its problems are reported. */
export async function checkPorts(wanted: Record<string, WantedPort>): Promise<void> {
  releasePorts(await takePorts(wanted))
}

export function apiPort({ host, port, givenAs }: Config): { api: WantedPort } {
  return { api: { variable: givenAs['PORT'] ?? 'PORT', hostVariable: givenAs['HOST'] ?? 'HOST', host, port } }
}

/** The port for clients of another mail catcher, if one is set. */
export function compatPorts({
  compat,
  compatHost: host,
  compatPort: port,
  givenAs,
}: Config): Record<string, WantedPort> {
  const variable = givenAs['COMPAT_PORT'] ?? 'COMPAT_PORT'
  const hostVariable = givenAs['COMPAT_HOST'] ?? 'COMPAT_HOST'
  return compat === null ? {} : { compat: { variable, hostVariable, host, port } }
}

export function workerPorts(config: Config): { worker: WantedPort; smtp: WantedPort } {
  const { host, workerPort, smtpHost, smtpPort, givenAs } = config
  const hostVariable = givenAs['HOST'] ?? 'HOST'
  return {
    worker: { variable: givenAs['WORKER_PORT'] ?? 'WORKER_PORT', hostVariable, host, port: workerPort },
    smtp: {
      variable: givenAs['SMTP_PORT'] ?? 'SMTP_PORT',
      hostVariable: givenAs['SMTP_HOST'] ?? hostVariable,
      host: smtpHost,
      port: smtpPort,
    },
  }
}

type FailedPort = WantedPort & { error: unknown }

async function explain(failed: FailedPort[], ours: number[]): Promise<unknown> {
  const unknown = failed.find(({ error }) => !(codeOf(error) in EXPLANATIONS))
  if (unknown) return unknown.error
  const avoided = new Set(ours)
  const changes: string[] = []
  for (const { variable, host, port, error } of failed) {
    const free = isAboutPort(error) ? await findFreePort(host, port, avoided) : null
    if (free === null) continue
    avoided.add(free)
    changes.push(assignment(variable, free))
  }
  // Several ports have one host.
  const sentences = Array.from(new Set(failed.map((one) => EXPLANATIONS[codeOf(one.error)]!(one))))
  if (changes.length > 0) {
    const isBusy = failed.some(({ error }) => codeOf(error) === 'EADDRINUSE')
    const free = `${changes.join(' ')} ${changes.length === 1 ? 'is' : 'are'} free`
    sentences.push(`${isBusy ? 'Stop the other program, or choose' : 'Choose'} another port: ${free}.`)
  }
  const error = new Error(sentences.join(' '), { cause: failed[0]!.error })
  return Object.assign(error, { code: codeOf(failed[0]!.error), syscall: 'listen' })
}

const EXPLANATIONS: Record<string, (failed: FailedPort) => string> = {
  EADDRINUSE({ variable, port }) {
    const holder = findPortHolder(port)
    return `Port ${port} (${variable}) is in use${holder === null ? '' : ` by ${holder}`}.`
  },
  EACCES: ({ variable, port }) =>
    `Port ${port} (${variable}) may not be used by this user: ports below ${RESERVED_BELOW} are reserved.`,
  EADDRNOTAVAIL: ({ hostVariable, host }) =>
    `${assignment(hostVariable, host)} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all addresses.`,
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
}

function unresolved({ hostVariable, host }: FailedPort): string {
  return `${assignment(hostVariable, host)} cannot be resolved. Use 127.0.0.1, or 0.0.0.0 for all addresses.`
}

/** As the setting was given: a variable, or a flag. */
function assignment(variable: string, value: string | number): string {
  return `${variable}${variable.startsWith('--') ? ' ' : '='}${value}`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function isAboutPort(error: unknown): boolean {
  return ['EADDRINUSE', 'EACCES'].includes(codeOf(error))
}

async function findFreePort(host: string, port: number, avoided: Set<number>): Promise<number | null> {
  const first = port < RESERVED_BELOW ? port + INSTEAD_OF_RESERVED : port + 1
  for (let candidate = first; candidate < Math.min(first + TRIES, PORT_MAX + 1); candidate++) {
    if (avoided.has(candidate)) continue
    const taken = await takePort({ host, port: candidate }).catch(() => null)
    taken?.socket.close()
    if (taken) return candidate
  }
  return null
}
