import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import type { Owner } from './calls.ts'

/** Where the connections of somebody are listed. */
export function homeOf(owner: Owner) {
  if (owner === null) return { to: paths.settings(), search: { tab: 'sign-in' } }
  return { to: paths.organizationSignIn(owner), search: {} }
}

export function Home({ owner }: { owner: Owner }) {
  return <Link {...homeOf(owner)}>Sign-in</Link>
}
