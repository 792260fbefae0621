import { Link } from 'wouter'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="There is no such page" description="The address may be mistyped, or what it named is gone.">
      <Link href="/" className="link">
        Go to the inbox
      </Link>
    </Page>
  )
}
