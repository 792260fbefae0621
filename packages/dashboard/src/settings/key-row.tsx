import { useIsOwner } from '../session.tsx'
import { Badge } from '../ui/badge.tsx'
import { IconButton } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { RelativeTime, useNow } from '../ui/relative-time.tsx'
import { Cell, Row } from '../ui/table.tsx'
import type { Key } from './keys-page.tsx'
import { SCOPE_TEXTS } from './scope-texts.ts'

type Props = { apiKey: Key; onRotate: () => void; onDelete: () => void }

export function KeyRow({ apiKey, onRotate, onDelete }: Props) {
  const isOwner = useIsOwner()
  const { name, keyMasked, lastUsedAt, createdAt, createdBy } = apiKey
  return (
    <Row>
      <Cell className="font-medium max-md:pr-10">
        {name} <Expiry expiresAt={apiKey.expiresAt} />
      </Cell>
      <Cell>
        <code className="font-mono text-xs text-quiet">{keyMasked}</code>
      </Cell>
      <Cell label="Permissions">
        <Scope apiKey={apiKey} />
      </Cell>
      <Cell label="Last used">
        {lastUsedAt ? <RelativeTime at={lastUsedAt} /> : <span className="text-quiet">never</span>}
      </Cell>
      <Cell label="Created">
        <RelativeTime at={createdAt} />
        {createdBy && <span className="text-quiet"> by {createdBy.name || createdBy.email}</span>}
      </Cell>
      <Cell align="right" className="max-md:absolute max-md:right-2 max-md:top-2">
        {isOwner && (
          <Menu trigger={<IconButton icon="more" label={`Actions for ${name}`} />}>
            <MenuItem icon="refresh" onSelect={onRotate}>
              Rotate
            </MenuItem>
            <MenuItem icon="trash" isDanger onSelect={onDelete}>
              Delete
            </MenuItem>
          </Menu>
        )}
      </Cell>
    </Row>
  )
}

function Scope({ apiKey: { scopes, mailboxName } }: { apiKey: Key }) {
  const texts = scopes.map((scope) => SCOPE_TEXTS[scope].short)
  return (
    <>
      {texts.join(', ')}
      {mailboxName && <span className="text-quiet"> {mailboxName}</span>}
    </>
  )
}

function Expiry({ expiresAt }: { expiresAt: string | null }) {
  const now = useNow()
  if (expiresAt === null) return null
  if (Date.parse(expiresAt) <= now) return <Badge tone="danger">expired</Badge>
  return (
    <Badge tone="warn">
      expires <RelativeTime at={expiresAt} isFocusable={false} isPlanned />
    </Badge>
  )
}
