import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = '0A'

/** The process that listens on a port, such as `node server.js (process 4242, in /home/ada/shop)`. Null if unknown. */
export function findPortHolder(port: number): string | null {
  const pid = findProcessOn(port)
  return pid === null ? null : describe(pid)
}

/** The id of the Mailhatch that listens on a port. Null if there is none, or if it belongs to another user. */
export function findMailhatchOn(port: number): string | null {
  const pid = findProcessOn(port)
  return pid !== null && nameOf(wordsOf(pid)) === OUR_NAME ? pid : null
}

function findProcessOn(port: number): string | null {
  const sockets = ['/proc/self/net/tcp', '/proc/self/net/tcp6'].flatMap((table) => listenersIn(readText(table), port))
  return sockets.length === 0 ? null : (processes().find((one) => holdsAny(one, sockets)) ?? null)
}

/** The inodes of the sockets that listen on a port. Columns: number, local address, remote address, state, … , inode. */
export function listenersIn(table: string, port: number): string[] {
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTEN && Number.parseInt(local!.split(':')[1]!, 16) === port)
    .map((columns) => columns[9]!)
}

function processes(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
}

/** False for processes of other users, whose files cannot be read. */
function holdsAny(pid: string, sockets: string[]): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((file) =>
      sockets.includes(/^socket:\[(\d+)\]$/.exec(readLink(`${folder}/${file}`))?.[1] ?? ''),
    )
  } catch {
    return false
  }
}

/** Without the arguments, which may contain secrets. */
function describe(pid: string): string {
  const name = nameOf(wordsOf(pid)) || readText(`/proc/${pid}/comm`).trim()
  const folder = readLink(`/proc/${pid}/cwd`)
  return `${name} (process ${pid}${folder === '' ? '' : `, in ${folder}`})`
}

function wordsOf(pid: string): string[] {
  return readText(`/proc/${pid}/cmdline`).split('\0')
}

const OUR_NAME = 'Mailhatch'
const INTERPRETER = /^(node|nodejs|bun|deno|python|ruby|php|java)[\d.]*$/
/** Our own program, started in any of its ways. */
const OURS = /(^|\/)(bin\/(mailhatch|launched)\.js|\.bin\/mailhatch|bin\/mailhatch)$/

/** The program, and the script if it is an interpreter: `node server.js`. */
export function nameOf([program = '', script = '']: string[]): string {
  if (OURS.test(script)) return OUR_NAME
  const isScript = INTERPRETER.test(basename(program)) && /^[^-]/.test(script)
  return isScript ? `${basename(program)} ${basename(script)}` : basename(program)
}

/** Empty where there is no /proc, or if the process has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
