import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as sdkParts from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/markdown.ts'
import { startServer } from '../support/server.ts'

const PAGE = readFileSync(join(REPOSITORY, 'docs/guide/scenarios.md'), 'utf8')
const RECIPES = [...PAGE.matchAll(/<!-- recipe: (\w+) -->\n```ts\n([^]*?)```/g)].map(
  ([, name, code]) => [name!, code!] as const,
)

/** An app that tries again twice after a temporary failure, each time later, as it should. */
function appThatRetries(smtpPort: number) {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  return {
    async sendWelcome(to: string): Promise<void> {
      for (let attempt = 1; ; attempt++) {
        try {
          await transport.sendMail({ from: 'app@shop.test', to, subject: 'Welcome', text: 'Welcome' })
          return
        } catch (error) {
          const { responseCode } = error as { responseCode?: number }
          const isTemporary = responseCode !== undefined && responseCode === 451
          if (!isTemporary || attempt === 3) throw error
          await setTimeout(100 * attempt)
        }
      }
    },
  }
}

test('the page has recipes', () => {
  expect(RECIPES.map(([name]) => name)).toEqual(['retry', 'bounce', 'outage', 'limit', 'twice'])
})

test.each(RECIPES)('the recipe "%s" works', async (_, code) => {
  const { sdk: mailhatch, smtpPort } = await startServer()
  const names = { ...sdkParts, mailhatch, expect, app: appThatRetries(smtpPort) }
  const AsyncFunction = (async () => {}).constructor as new (
    ...given: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction(...Object.keys(names), code)(...Object.values(names))
})
