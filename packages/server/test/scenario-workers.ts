import { Mailhatch, type Step } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect } from 'vitest'
import { startChild, type ChildServer } from './support/child-server.ts'
import { makeTeam } from './support/made-team.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

/** An API, and workers that know it only by HTTP. */
export async function startApart() {
  const dataDir = temporaryFolder()
  const apiKey = await makeTeam({ DATA_DIR: dataDir }, { name: 'QA', domain: 'qa.test', plan: 'enterprise' })
  const api = await startChild({
    program: 'api',
    environment: { DATA_DIR: dataDir, INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET, RATE_LIMIT: 'off' },
  })
  const startWorker = (dataDir = temporaryFolder()) =>
    startChild({
      program: 'worker',
      environment: {
        DATA_DIR: dataDir,
        WEBHOOK_URL: `${api.apiUrl}/webhooks/inbox`,
        WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
        DISK_FREE_MIN: '0',
      },
    })
  const sdk = new Mailhatch({ url: api.apiUrl, apiKey })
  const script = (to: string, steps: Step[]) => sdk.scenarios.create(to, steps)
  /** Returns before the workers know of it. */
  const scriptAtOnce = async (to: string, steps: Step[]) => {
    const response = await fetch(`${api.apiUrl}/v1/scenarios`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to, steps: steps.map(({ definition }) => definition) }),
    })
    expect(response.status).toBe(201)
  }
  return { sdk, script, scriptAtOnce, startWorker }
}

/** The code of the reply; null if there was none. */
export async function sendTo({ smtpPort }: ChildServer, to: string, subject = 'Hello'): Promise<number | null> {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  try {
    await transport.sendMail({ from: 'app@shop.test', to, subject, text: 'Hello' })
    return 250
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? null
  }
}
