import { Suspense } from 'react'
import { Link } from 'wouter'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { lazyPart } from '../lazy-part.ts'
import { OtherMailNotice } from '../other-addresses/other-mail-notice.tsx'
import { useSession } from '../session.tsx'
import { Button } from '../ui/button.tsx'
import { CodeBlock, CopyValue } from '../ui/code-block.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loaded, Loading } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { inboxQueries } from './inbox-queries.ts'

const FrameworkTabs = lazyPart(() => import('../setup/framework-tabs.tsx'))

type Steps = Outputs['inbox']['firstSteps']['get']

/** Shown while the team has no mail: how to send the first one. */
export default function FirstSteps() {
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-2xl space-y-6 px-4 py-8 sm:px-8">
        <div>
          <h2 className="text-xl font-semibold tracking-tight">Get your first mail</h2>
          <p className="mt-1 text-quiet">It appears here as soon as it arrives, without a reload.</p>
        </div>
        <OtherMailNotice />
        <Loaded query={inboxQueries.firstSteps}>{(steps) => <Steps steps={steps} />}</Loaded>
      </div>
    </div>
  )
}

function Steps({ steps }: { steps: Steps }) {
  const { smtp, address, canSendSample } = steps
  const { team } = useSession()
  return (
    <>
      {canSendSample && <SampleButton />}
      {address !== null && (
        <div className="space-y-1.5">
          <h3 className="text-sm font-medium">Send to this address, or use any other name before the @</h3>
          <CopyValue value={address} what="address" />
        </div>
      )}
      {smtp && (
        <div className="space-y-1.5">
          <h3 className="text-sm font-medium">Point your app at this SMTP server, without TLS or a password</h3>
          <p className="flex flex-wrap gap-2">
            <CopyValue value={smtp.host} what="host" /> <CopyValue value={String(smtp.port)} what="port" />
          </p>
          <Suspense fallback={<Loading />}>
            <FrameworkTabs server={{ ...smtp, address: address ?? `hello@${team.domain ?? 'your.domain'}` }} />
          </Suspense>
        </div>
      )}
      {smtp && address !== null && <CodeBlock label="With curl" code={curlMail(smtp, address)} />}
      <CodeBlock label="In a Playwright test" code={PLAYWRIGHT} />
      <div className="space-y-1.5">
        <h3 className="text-sm font-medium">Send each mail to a webhook on this machine</h3>
        <CodeBlock label="With a receiver on localhost" code={LISTEN} />
        <p className="text-sm text-quiet">
          The server itself posts only to public https URLs, unless its operator sets <code>WEBHOOK_ALLOWED_HOSTS</code>
          . These settings stay at{' '}
          <Link href="/settings/setup" className="link">
            Set-up
          </Link>
          .
        </p>
      </div>
    </>
  )
}

function SampleButton() {
  const send = useAction(() => trpc.inbox.firstSteps.sendSample.mutate(), {
    onDone: ({ to }) => notify(`Sent to ${to}`),
  })
  return (
    <div className="space-y-3">
      <Button
        variant="primary"
        icon="play"
        isBusy={send.isRunning}
        onClick={() => send.run()}
        className="min-h-10 px-5"
      >
        Send a test mail
      </Button>
      {send.failure && <FailureNotice failure={send.failure} onRetry={() => send.run()} />}
    </div>
  )
}

function curlMail({ host, port }: NonNullable<Steps['smtp']>, address: string): string {
  return `printf 'Subject: Hello\\r\\n\\r\\nYour code is 482913.\\r\\n' |
  curl smtp://${host}:${port} --mail-from app@shop.example --mail-rcpt '${address}' -T -`
}

const LISTEN = 'npx mailhatch listen --forward-to http://localhost:3000/hook'

const PLAYWRIGHT = `import { expect, test } from '@mailhatch/sdk/playwright'

test('sign up by code', async ({ page, inbox }) => {
  await page.goto('/sign-up')
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up' }).click()
  const mail = await inbox.waitFor({ subject: 'code' })
  await page.getByLabel('Code').fill(mail.code())
  await expect(page.getByText('Welcome')).toBeVisible()
})`
