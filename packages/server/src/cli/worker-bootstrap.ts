import type { Command } from 'commander'
import { readConfig } from '../program/config.ts'
import { SETTINGS } from '../program/settings.ts'
import { AppError } from '../domain/errors.ts'
import { examples } from './examples.ts'
import { print } from './output.ts'
import { connectWorker, type WorkerClient } from './worker-client.ts'

type Options = { domain?: string; subdomain?: string; dryRun?: boolean; json?: boolean }

type Step = { does: string; path: string; body: object }

/** Sets up Cloudflare Email Routing for the worker. */
export function addBootstrapCommand(worker: Command): void {
  worker
    .command('bootstrap')
    .description('Set up Cloudflare Email Routing for the worker at WORKER_URL: DNS records, then the catch-all rule.')
    .option('--domain <domain>', 'domain that receives mail (default: EMAIL_DOMAIN, else the zone)')
    .option('--subdomain <label>', 'also receive mail for <label>.<EMAIL_DOMAIN>')
    .option('--dry-run', 'only print the steps')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch worker bootstrap --domain in.example.com --subdomain team'))
    .action(async (options: Options) => {
      const worker = connectWorker()
      const steps = planSteps(options)
      if (!options.dryRun) await run(worker, steps)
      const lines = steps.map(({ does, path }) => `${options.dryRun ? 'would' : 'done:'} ${does}  (POST ${path})`)
      print({ worker: worker.url, dryRun: options.dryRun ?? false, steps }, lines, options)
    })
}

/** Stops at the first failure. All steps are safe to repeat. */
async function run({ request }: WorkerClient, steps: Step[]): Promise<void> {
  for (const [index, { does, path, body }] of steps.entries()) {
    await request(path, { method: 'POST', body }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      const done = steps.slice(0, index).map((step) => ` Already done: ${step.does}.`)
      throw new AppError(error.code, `Could not ${does}: ${error.message}${done.join('')}`)
    })
  }
}

/** Records first: Cloudflare refuses rules for a domain without mail records. */
function planSteps({ domain = emailDomain(), subdomain }: Options): Step[] {
  return [
    {
      does: `add and lock the mail records of ${domain ?? 'the zone'}`,
      path: '/admin/email-routing/dns/enable',
      body: domain === undefined ? {} : { name: domain },
    },
    ...(subdomain === undefined
      ? []
      : [
          {
            does: `add the mail records of the subdomain ${subdomain}`,
            path: '/admin/subdomains',
            body: { subdomain },
          },
        ]),
    {
      does: 'route the catch-all address to the worker',
      path: '/admin/catch-all/worker',
      body: { enabled: true },
    },
  ]
}

/** Undefined for the default, which is only for local use. */
function emailDomain(): string | undefined {
  const { emailDomain } = readConfig('worker')
  return emailDomain === SETTINGS.rootDomain.default ? undefined : emailDomain
}
