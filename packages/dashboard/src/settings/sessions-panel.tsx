import { auth, type Session } from '../api/auth.ts'
import { queries } from '../api/queries.ts'
import { useAction } from '../api/use-action.ts'
import { useSignOut } from '../shell/use-sign-out.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Cell, Row, Table } from '../ui/table.tsx'
import { browserName } from './browser-name.ts'

const COLUMNS = [{ text: 'Browser' }, { text: 'Address' }, { text: 'Last seen' }, { text: 'Actions', isHidden: true }]

export function SessionsPanel() {
  const everywhere = useSignOut(true)
  return (
    <Panel
      title="Active sessions"
      isFlush
      actions={
        <Button isBusy={everywhere.isRunning} onClick={() => everywhere.run()}>
          Sign out everywhere
        </Button>
      }
    >
      {everywhere.failure && <FailureNotice failure={everywhere.failure} />}
      <Loaded query={queries.sessions}>
        {(sessions) => (
          <Table caption="Sessions" columns={COLUMNS}>
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Table>
        )}
      </Loaded>
    </Panel>
  )
}

function SessionRow({ session: { id, isCurrent, userAgent, address, lastSeenAt } }: { session: Session }) {
  const end = useAction(() => auth.endSession(id), { changes: ['sessions'] })
  return (
    <Row>
      <Cell>
        <span title={userAgent}>{browserName(userAgent)}</span> {isCurrent && <Badge tone="accent">this browser</Badge>}
      </Cell>
      <Cell label="Address">
        <span className="font-mono text-xs">{address}</span>
      </Cell>
      <Cell label="Last seen">
        <RelativeTime at={lastSeenAt} />
      </Cell>
      <Cell align="right">
        {!isCurrent && (
          <Button
            variant="quiet"
            isBusy={end.isRunning}
            onClick={() => end.run()}
            aria-label={`Sign out ${browserName(userAgent)} from ${address}`}
          >
            Sign out
          </Button>
        )}
      </Cell>
    </Row>
  )
}
