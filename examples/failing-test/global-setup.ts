import { startMailhatch } from '@mailhatch/sdk/server'

export default async function globalSetup() {
  const mailhatch = await startMailhatch()
  process.env['MAILHATCH_URL'] = mailhatch.url
  process.env['MAILHATCH_API_KEY'] = mailhatch.apiKey
  process.env['SMTP_PORT'] = String(mailhatch.smtpPort)
  return () => mailhatch.close()
}
