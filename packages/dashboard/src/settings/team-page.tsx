import { useState } from 'react'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner, useSession } from '../session.tsx'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { notify } from '../ui/notices.ts'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { InvitesPanel } from './invites-panel.tsx'
import { MembersPanel } from './members-panel.tsx'

export function TeamPage() {
  return (
    <Page
      title="Team"
      description="Members see all mail of the team. Owners also change keys, webhooks, mailboxes and the domain."
    >
      <OwnersOnly what="rename it, invite and remove people" />
      {useIsOwner() && <NamePanel />}
      <MembersPanel />
      <InvitesPanel />
    </Page>
  )
}

function NamePanel() {
  const { team } = useSession()
  const [name, setName] = useState(team.name)
  const rename = useAction(() => trpc.team.update.mutate({ name }), {
    changes: ['team', 'me'],
    onDone: () => notify('The team was renamed.'),
  })
  return (
    <Panel>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          rename.run()
        }}
      >
        <TextField
          label="Name of the team"
          required
          className="w-72 max-w-full"
          value={name}
          problems={rename.failure?.details['name']}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" isBusy={rename.isRunning} disabled={name.trim() === team.name} className="min-h-9">
          Rename
        </Button>
      </form>
      {rename.failure && <FailureNotice failure={rename.failure} />}
    </Panel>
  )
}
