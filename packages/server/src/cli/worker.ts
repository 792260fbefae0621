import { Option, type Command } from 'commander'
import { adminMailboxPath } from '../domain/admin-path.ts'
import type { Metadata } from '../worker/metadata.ts'
import { readCountUpTo } from './count.ts'
import { examples } from './examples.ts'
import { EXIT } from './failure.ts'
import { dateText, sizeText } from './human.ts'
import { print } from './output.ts'
import { tableLines } from './table.ts'
import { addBootstrapCommand } from './worker-bootstrap.ts'
import { connectWorker } from './worker-client.ts'

type ListOptions = { domain?: string; status?: string; limit?: string; cursor?: string; json?: boolean }
/** The worker's maximum per request. */
const PAGE_MAX = 200

type RetryTotals = { retried: number; processed: number; failed: number }

/** Subcommands of `mailhatch worker`, which itself runs the worker. */
export function addWorkerCommands(program: Command): void {
  const worker = program.commands.find((command) => command.name() === 'worker')!
  const listOptions = (command: Command) =>
    command
      .option('--domain <domain>', 'a subdomain of EMAIL_DOMAIN, or a full domain')
      .addOption(new Option('--status <status>', 'only these (default: both)').choices(['unprocessed', 'processed']))
      .option('--limit <n>', `page size, up to ${PAGE_MAX} (default: 50)`, readPageSize)
      .option('--cursor <cursor>', 'continue after this cursor')
      .option('--json', 'print JSON')

  listOptions(worker.command('inboxes'))
    .description('List the mailboxes with mail on the worker at WORKER_URL.')
    .addHelpText('after', examples('mailhatch worker inboxes --status unprocessed'))
    .action(async ({ json, ...query }: ListOptions) => {
      const page = await connectWorker().request<{ mailboxes: string[]; cursor?: string }>('/admin/inboxes', { query })
      const lines = page.mailboxes.length > 0 ? page.mailboxes : ['No mail.']
      print(page, [...lines, ...moreLine(page)], { json })
    })

  listOptions(worker.command('messages <mailbox>'))
    .description('List the messages of a mailbox (name or full address), newest first.')
    .addHelpText('after', examples('mailhatch worker messages qa@team.in.example.com --status unprocessed'))
    .action(async (given: string, { json, domain, ...rest }: ListOptions) => {
      const { mailbox, query } = readMailbox(given, domain)
      const page = await connectWorker().request<{ messages: Metadata[]; cursor?: string }>(adminMailboxPath(mailbox), {
        query: { ...query, ...rest },
      })
      const rows = page.messages.map(
        ({ id, receivedAt, status, mailboxWithTag, from, subject, rawSize, lastError }) => [
          id,
          dateText(receivedAt),
          status,
          mailboxWithTag,
          from,
          subject,
          sizeText(rawSize),
          lastError ?? '',
        ],
      )
      print(page, [...(rows.length > 0 ? tableLines(rows) : ['No mail.']), ...moreLine(page)], { json })
    })

  const retry = worker
    .command('retry [mailbox] [id]')
    .description('Announce a message again, or all unprocessed messages.')
    .option('--domain <domain>', 'a subdomain of EMAIL_DOMAIN, or a full domain')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('mailhatch worker retry qa@shop.example 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24', 'mailhatch worker retry'),
    )
    .action(async (given: string | undefined, id: string | undefined, { domain, json }: ListOptions) => {
      if (given === undefined) return retryAll({ domain, json })
      if (id === undefined) return retry.error("error: missing argument 'id': mailhatch worker retry <mailbox> <id>")
      const { mailbox, query } = readMailbox(given, domain)
      const path = `${adminMailboxPath(mailbox)}/${encodeURIComponent(id)}/webhook`
      const answer = await connectWorker().request<object>(path, { method: 'POST', query })
      print(answer, [`The API accepted ${id}.`], { json })
    })

  addBootstrapCommand(worker)
}

/** In pages, because the worker limits the work of one request. */
async function retryAll({ domain, json }: Pick<ListOptions, 'domain' | 'json'>): Promise<void> {
  const worker = connectWorker()
  const totals = { retried: 0, processed: 0, failed: 0 }
  let cursor: string | undefined
  do {
    const query = { domain, cursor, limit: '200' }
    const page = await worker.request<RetryTotals & { cursor?: string }>('/admin/webhook/retry', {
      method: 'POST',
      query,
    })
    totals.retried += page.retried
    totals.processed += page.processed
    totals.failed += page.failed
    cursor = page.cursor
  } while (cursor !== undefined)
  const { retried, processed, failed } = totals
  print(
    totals,
    [retried === 0 ? 'Nothing to retry.' : `${retried} retried: ${processed} accepted, ${failed} failed.`],
    {
      json,
    },
  )
  if (failed > 0) process.exitCode = EXIT.failure
}

/** `qa`, or `qa@team.in.example.com`. */
function readMailbox(given: string, domain: string | undefined) {
  const at = given.lastIndexOf('@')
  if (at < 1) return { mailbox: given, query: { domain } }
  return { mailbox: given.slice(0, at), query: { domain: domain ?? given.slice(at + 1) } }
}

/** Query parameters are texts. */
function readPageSize(text: string): string {
  return String(readCountUpTo(PAGE_MAX)(text))
}

function moreLine({ cursor }: { cursor?: string }): string[] {
  return cursor === undefined ? [] : [`More: --cursor ${cursor}`]
}
