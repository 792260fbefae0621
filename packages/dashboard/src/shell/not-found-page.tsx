import { Link } from 'wouter'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="Page not found" description="Check the address, or go back to the inbox.">
      <Link href="/" className="link">
        Go to the inbox
      </Link>
    </Page>
  )
}
