import { useEffect } from 'react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { dropFromLists } from './removals.ts'

/** In place of a message that was deleted, or that never was. */
export function GoneMessage({ id, wasDeleted, onBack }: { id: string; wasDeleted: boolean; onBack: () => void }) {
  // Lists that were loaded earlier still show it.
  useEffect(() => dropFromLists([id]), [id])
  return (
    <EmptyState
      icon={wasDeleted ? 'trash' : 'search'}
      title={wasDeleted ? 'This message was deleted' : 'This message does not exist'}
    >
      <p>
        {wasDeleted
          ? 'A member of your team deleted it, or it was older than your plan keeps messages.'
          : 'The link may be wrong, or it leads to a message of another team.'}
      </p>
      <Button icon="inbox" onClick={onBack}>
        Back to the inbox
      </Button>
    </EmptyState>
  )
}
