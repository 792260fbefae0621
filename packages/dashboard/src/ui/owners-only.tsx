import { useIsOwner } from '../session.tsx'

/** Tells members what only owners can do on this page. */
export function OwnersOnly({ what }: { what: string }) {
  if (useIsOwner()) return null
  return <p className="rounded-md bg-sunken px-3 py-2 text-sm text-quiet">Only team owners can {what}.</p>
}
