import { Component, type ReactNode } from 'react'
import { failureOf, type Failure } from '../api/failure.ts'
import { FailureNotice } from './failure-notice.tsx'

/** A fault of a page takes only that page away. React has no hook for this. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failure: Failure | null }> {
  override state: { failure: Failure | null } = { failure: null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: failureOf(error) }
  }

  override render() {
    if (!this.state.failure) return this.props.children
    return (
      <div className="mx-auto w-full max-w-2xl space-y-4 p-6">
        <h1 className="text-xl font-semibold">This page has a fault</h1>
        <FailureNotice failure={this.state.failure} onRetry={() => location.reload()} />
      </div>
    )
  }
}
