import { trpc } from '../api/trpc.ts'
import { useIsOwner, useSession } from '../session.tsx'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page } from '../ui/page.tsx'
import { InvitesPanel } from './invites-panel.tsx'
import { MembersPanel } from './members-panel.tsx'
import { NamePanel } from './name-panel.tsx'

export function TeamPage() {
  const { team } = useSession()
  return (
    <Page
      title="Team"
      description="Members can read all mail of the team. Owners can also change keys, webhooks, mailboxes and the domain."
    >
      <OwnersOnly what="rename the team and invite or remove members" />
      {useIsOwner() && (
        <NamePanel
          label="Team name"
          required
          current={team.name}
          action="Rename"
          save={(name) => trpc.team.update.mutate({ name })}
          changes={['team', 'me']}
          saved="Team renamed."
        />
      )}
      <MembersPanel />
      <InvitesPanel />
    </Page>
  )
}
