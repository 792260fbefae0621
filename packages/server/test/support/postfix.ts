import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { installPackage } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './server.ts'

const run = promisify(execFile)
const PROGRAM = '/usr/sbin/postfix'
const SERVICES = '/usr/share/postfix/master.cf.dist'
/** Time until the next attempt, which may be up to two seconds early. */
const BACKOFF = '4s'

/** Debian's Postfix with folders of its own, which relays all mail to a server on this machine. Stopped when the test ends. */
export async function startPostfix({ relayPort, patienceMs }: { relayPort: number; patienceMs: number }) {
  await requirePostfix()
  const folder = temporaryFolder()
  // Its processes run as another user.
  chmodSync(folder, 0o755)
  const [config, queue, data] = [join(folder, 'config'), join(folder, 'queue'), join(folder, 'data')]
  for (const path of [config, queue, data]) mkdirSync(path)
  await run('chown', ['postfix', data])
  const smtpPort = await freePort()
  const log = join(folder, 'mail.log')
  const patience = `${Math.ceil(patienceMs / 1_000)}s`
  const settings = {
    compatibility_level: '3.6',
    queue_directory: queue,
    data_directory: data,
    maillog_file: log,
    maillog_file_prefixes: folder,
    myhostname: 'relay.shop.test',
    mydestination: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    relayhost: `[127.0.0.1]:${relayPort}`,
    disable_dns_lookups: 'yes',
    smtp_tls_security_level: 'none',
    queue_run_delay: '1s',
    minimal_backoff_time: BACKOFF,
    maximal_backoff_time: BACKOFF,
    smtp_rcpt_timeout: patience,
    smtp_data_init_timeout: patience,
    smtp_data_done_timeout: patience,
    // Each mail has its own connection, and one that is cut does not stop the mail to other addresses.
    smtp_connection_cache_on_demand: 'no',
    smtp_destination_concurrency_failed_cohort_limit: '0',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  writeFileSync(join(config, 'main.cf'), lines.join(''))
  const services = readFileSync(SERVICES, 'utf8')
    .replace(/^smtp +inet/m, `127.0.0.1:${smtpPort} inet`)
    // A new queue lacks the files of the system that its services would need in it.
    .replace(/^((?:\S+ +){4})y/gm, '$1n')
  writeFileSync(join(config, 'master.cf'), services)
  await run(PROGRAM, ['-c', config, 'start'])
  onTestFinished(async () => {
    await run(PROGRAM, ['-c', config, 'stop'])
  })
  return { smtpPort, log: () => readFileSync(log, 'utf8') }
}

/** Installs Debian's package if it is missing, without an instance of the system. */
async function requirePostfix(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('Not run: only root can start Postfix.')
  if (existsSync(PROGRAM)) return
  const answer = 'postfix postfix/main_mailer_type select No configuration'
  await run('sh', ['-c', 'echo "$0" | debconf-set-selections', answer])
    .then(() => installPackage('postfix'))
    .catch((cause: unknown) => {
      throw new Error('Not run: Postfix is missing. Install it (Debian: apt-get install postfix).', { cause })
    })
}
