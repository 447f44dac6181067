import { Create } from './ConnectionCreate.tsx'
import { Home } from './Home.tsx'

/** A new connection by which superadmins sign in. */
export function SystemConnectionCreate() {
  return <Create owner={null} crumbs={[<Home key="home" owner={null} />]} />
}
