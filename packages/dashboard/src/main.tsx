import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { queryClient } from './api/queries.ts'
import { App } from './app.tsx'
import { BASE_PATH, STYLE_NONCE } from './base-path.ts'
import { listenToKeys } from './keyboard.ts'
import { followTheme } from './theme.ts'
import { ErrorBoundary } from './ui/error-boundary.tsx'
import { Toasts } from './ui/toasts.tsx'

followTheme()
listenToKeys()

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <CSPProvider nonce={STYLE_NONCE}>
        <Router base={BASE_PATH}>
          <ErrorBoundary>
            <App />
          </ErrorBoundary>
          <Toasts />
        </Router>
      </CSPProvider>
    </QueryClientProvider>
  </StrictMode>,
)
