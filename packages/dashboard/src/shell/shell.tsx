import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useShortcuts } from '../keyboard.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { TopBar } from './top-bar.tsx'

const KeySheet = lazy(() => import('./key-sheet.tsx'))
const loadPalette = () => import('./palette.tsx')
const Palette = lazy(loadPalette)

/** What is around every page of those who are signed in. The page scrolls; the bar stays. */
export function Shell({ children }: { children: ReactNode }) {
  const [path, navigate] = useLocation()
  const [shown, setShown] = useState<'keys' | 'palette' | null>(null)
  const showKeys = () => setShown('keys')
  const showPalette = () => setShown('palette')
  const close = () => setShown(null)
  useShortcuts([
    { keys: '?', label: 'Show all keys', run: showKeys },
    { keys: 'Mod+k', label: 'Commands', run: showPalette },
    { keys: 'g i', label: 'Go to the inbox', run: () => navigate('/') },
    { keys: 'g k', label: 'Go to API keys', run: () => navigate('/settings/keys') },
    { keys: 'g w', label: 'Go to webhooks', run: () => navigate('/settings/webhooks') },
  ])
  useEffect(() => {
    // Whoever uses keys at all gets it ahead of time: what they type right after opening it must not go to the page.
    const load = () => void loadPalette()
    document.addEventListener('keydown', load, { once: true })
    return () => document.removeEventListener('keydown', load)
  }, [])
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#main"
        className="absolute left-2 top-2 z-60 -translate-y-24 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <TopBar onShowKeys={showKeys} onShowPalette={showPalette} />
      <main id="main" tabIndex={-1} className="relative min-h-0 grow overflow-y-auto outline-none">
        {/* Another page is another try. The inbox is one page at all its addresses, and keeps its place in the list. */}
        <ErrorBoundary key={path.split('/')[1]?.replace(/^[am]$/, '')}>{children}</ErrorBoundary>
      </main>
      <Suspense>
        {shown === 'keys' && <KeySheet onClose={close} />}
        {shown === 'palette' && <Palette onClose={close} onShowKeys={showKeys} />}
      </Suspense>
    </div>
  )
}
