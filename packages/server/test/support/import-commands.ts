import type { Mailhatch } from '@mailhatch/sdk'
import { expect } from 'vitest'
import { createCommands } from './in-process.ts'
import { startServer, temporaryFolder } from './server.ts'

type Result = { imported: number; duplicates: number; failed: number; problems: string[] }

/** A server, and the command `import` for it in a new folder. */
export async function startForImport(settings: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const server = await startServer(settings)
  const commands = createCommands(folder, {
    MAILHATCH_URL: server.url,
    MAILHATCH_API_KEY: server.apiKey,
    MAILHATCH_SMTP: `127.0.0.1:${server.smtpPort}`,
  })
  const importInto = async (words: string): Promise<Result & { code: number | null }> => {
    const { code, stdout, stderr } = await commands.run(`mailhatch import ${words}`)
    expect(stderr).toBe('')
    return { code, ...(JSON.parse(stdout) as Result) }
  }
  return { ...server, folder, commands, importInto }
}

/** Accepted mail becomes a message with a short delay. */
export async function untilCounted(sdk: Mailhatch, count: number): Promise<void> {
  await expect.poll(async () => (await sdk.me()).messageCount).toBe(count)
}
