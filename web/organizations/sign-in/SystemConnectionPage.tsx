import { readSystemConnection } from '#contract/identity/sso.ts'
import { fetchFresh, useEndpoint } from '#web/api/query.ts'
import { usePathParams, type LoadInput } from '../../layout/page.ts'
import { Editor } from './ConnectionPage.tsx'
import { Home } from './Home.tsx'

export function load({
  params: { systemConnectionId: connectionId },
}: LoadInput<'/settings/connections/$systemConnectionId'>) {
  return fetchFresh(readSystemConnection, { params: { connectionId } })
}

/** A connection by which superadmins sign in. */
export function SystemConnectionPage() {
  const { systemConnectionId: connectionId } = usePathParams('/settings/connections/$systemConnectionId')
  const connection = useEndpoint(readSystemConnection, { params: { connectionId } })
  return (
    <Editor key={connectionId} owner={null} loaded={connection} crumbs={[<Home key="home" owner={null} />]} />
  )
}
