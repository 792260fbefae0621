import { useIsOwner } from '../session.tsx'

/** On pages where members look and owners change. */
export function OwnersOnly({ what }: { what: string }) {
  if (useIsOwner()) return null
  return <p className="rounded-md bg-sunken px-3 py-2 text-sm text-quiet">Only owners of the team {what}.</p>
}
