import { useSearch } from 'wouter'

/** A part of the address after `?`; null where it is not given. */
export function useParameter(name: string): string | null {
  return new URLSearchParams(useSearch()).get(name) || null
}
