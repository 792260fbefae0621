import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startChild } from './support/child-server.ts'
import { findProgram } from './support/debian-package.ts'
import { randomMail } from './support/random-mail.ts'
import { temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

const unit = readFileSync(join(import.meta.dirname, '../../../deploy/systemd/mailhatch.service'), 'utf8')

/** SQLite gives its files to their owner if it runs as root, as it may here, and as the service does not. */
const ONLY_AS_ROOT = ['fchown']

/** The calls of a group of systemd, with those of the groups in it. */
function callsIn(program: string, group: string): string[] {
  const lines = execFileSync(program, ['syscall-filter', group], { encoding: 'utf8' }).split('\n').slice(1)
  const names = lines.map((line) => line.trim()).filter((line) => /^[@a-z]/.test(line))
  return names.flatMap((name) => (name.startsWith('@') ? callsIn(program, name) : [name]))
}

/** What the lines of the unit allow, in their order. */
function allowedBy(program: string): Set<string> {
  const allowed = new Set(callsIn(program, '@default'))
  for (const [, isWithout, groups] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const call of groups!.split(' ').flatMap((group) => callsIn(program, group))) {
      if (isWithout) allowed.delete(call)
      else allowed.add(call)
    }
  }
  return allowed
}

test('the unit allows every system call that a server makes from its start to its stop', async () => {
  const program = await findProgram(['/usr/bin/systemd-analyze'], 'systemd')
  const traceFile = join(temporaryFolder(), 'trace')
  const launcher = ['strace', '-D', '-f', '-qq', '-e', 'signal=none', '-o', traceFile]
  const server = await startChild({ program: 'serve', environment: { DATA_DIR: temporaryFolder() }, launcher })
  const client = await SmtpClient.connect(server.smtpPort)
  // One in memory, and one in a spool file.
  for (const size of [2_000, 3_000_000]) {
    expect(await client.send({ to: 'qa@mailhatch.test', raw: randomMail(`m${size}`, size) })).toMatch(/^250 /)
  }
  client.close()
  expect(await server.stop()).toBe(0)
  const made = new Set(
    Array.from(readFileSync(traceFile, 'utf8').matchAll(/^\d+ +([a-z]\w*)\(/gm), ([, call]) => call!),
  )
  expect(made.size).toBeGreaterThan(40)
  const allowed = allowedBy(program)
  expect([...made].filter((call) => !allowed.has(call) && !ONLY_AS_ROOT.includes(call))).toEqual([])
  // Control: calls of an administrator are not allowed.
  for (const call of ['mount', 'reboot', 'setuid', 'ptrace']) expect(allowed.has(call)).toBe(false)
})
