import { Component, type ReactNode } from 'react'
import { failureOf, type Failure } from '../api/failure.ts'
import { navigateIfThere } from '../server-reach.ts'
import { FailureNotice } from './failure-notice.tsx'

/** Limits a rendering error to one page. A class, because React has no hook for this. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failure: Failure | null }> {
  override state: { failure: Failure | null } = { failure: null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: failureOf(error) }
  }

  override render() {
    if (!this.state.failure) return this.props.children
    return (
      <div className="mx-auto w-full max-w-2xl space-y-4 p-6">
        <h1 className="text-xl font-semibold">This page has crashed</h1>
        <FailureNotice failure={this.state.failure} onRetry={() => void navigateIfThere(() => location.reload())} />
      </div>
    )
  }
}
