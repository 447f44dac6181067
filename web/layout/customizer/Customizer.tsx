import { useEffect, useState, type ComponentType } from 'react'
import { loadPanel, sayNotLoaded, useCustomizer } from './customizer.ts'

/** Where the panel appears: nothing at all until it is first opened. */
export function Customizer() {
  const isOpen = useCustomizer()
  const [Panel, setPanel] = useState<ComponentType | null>(null)
  useEffect(() => {
    if (!isOpen || Panel) return
    void loadPanel().then((loaded) => (loaded ? setPanel(() => loaded) : sayNotLoaded()))
  }, [isOpen, Panel])
  return Panel && <Panel />
}
