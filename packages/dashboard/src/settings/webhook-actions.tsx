import { useState } from 'react'
import { useLocation } from 'wouter'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { Button, Buttons, IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { notify } from '../ui/notices.ts'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import type { Endpoint } from './webhooks-page.tsx'

type Asked = 'rotate' | 'delete' | null

/** The actions of an owner on an endpoint. */
export function WebhookActions({ endpoint }: { endpoint: Endpoint }) {
  const { id, active } = endpoint
  const [, navigate] = useLocation()
  const [asked, setAsked] = useState<Asked>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setAsked(null)
  const test = useAction(() => trpc.webhooks.test.mutate({ id }), { changes: ['deliveries'], onDone: reportTest })
  const toggle = useAction(() => trpc.webhooks.toggle.mutate({ id, active: !active }), { changes: ['webhooks'] })
  const rotate = useAction(() => trpc.webhooks.rotateSecret.mutate({ id }), {
    changes: ['webhooks'],
    onDone(rotated) {
      close()
      setSecret(rotated.secret)
    },
  })
  const remove = useAction(() => trpc.webhooks.delete.mutate({ id }), {
    changes: ['webhooks', 'usage'],
    onDone() {
      notify('Endpoint deleted.')
      navigate('/settings/webhooks')
    },
  })
  const failure = test.failure ?? toggle.failure
  return (
    <>
      <Buttons>
        <Button icon="play" isBusy={test.isRunning} onClick={() => test.run()}>
          Send test event
        </Button>
        <Button isBusy={toggle.isRunning} onClick={() => toggle.run()}>
          {active ? 'Disable' : 'Enable'}
        </Button>
        <Menu trigger={<IconButton icon="more" label="More actions" />}>
          <MenuItem icon="refresh" onSelect={() => setAsked('rotate')}>
            Rotate secret
          </MenuItem>
          <MenuItem icon="trash" isDanger onSelect={() => setAsked('delete')}>
            Delete
          </MenuItem>
        </Menu>
      </Buttons>
      {failure && <FailureNotice failure={failure} />}
      <ConfirmDialog
        title="Rotate the signing secret?"
        action="Rotate"
        isDanger={false}
        isOpen={asked === 'rotate'}
        isBusy={rotate.isRunning}
        failure={rotate.failure}
        onClose={close}
        onConfirm={() => rotate.run()}
      >
        For 24 hours, requests are signed with both the old and the new secret, so that you can update your app.
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete this endpoint?"
        action="Delete"
        isOpen={asked === 'delete'}
        isBusy={remove.isRunning}
        failure={remove.failure}
        onClose={close}
        onConfirm={() => remove.run()}
      >
        This also deletes its deliveries, including pending ones. It cannot be undone.
      </ConfirmDialog>
      <SecretDialog
        title="New signing secret"
        what="secret"
        hint="It is shown only once. The old secret stays valid for 24 hours."
        secret={secret}
        onClose={() => setSecret(null)}
      />
    </>
  )
}

function reportTest({ status, httpStatus, latencyMs, error }: Outputs['webhooks']['test']): void {
  if (status === 'success') notify(`The endpoint responded with ${httpStatus} in ${latencyMs} ms.`)
  else notify(`The test event failed. ${error ?? `The endpoint responded with ${httpStatus}.`}`, { kind: 'bad' })
}
