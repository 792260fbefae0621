import { useSearch } from 'wouter'

/** A query parameter; null if it is missing or empty. */
export function useParameter(name: string): string | null {
  return new URLSearchParams(useSearch()).get(name) || null
}
