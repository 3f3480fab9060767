// Shows one component of the gallery: in the page, in a state that the user causes, or in a window of its own.

import { MantineProvider, useComputedColorScheme } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useLanguage } from '../ui/language.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import { type ShownState, stylesOfPage } from './shown-states.ts'

const query = new URLSearchParams(location.search)
/** The name of the only component that the page shows. Null means that it shows all of them. */
const ONLY = query.get('only')

/** Shows one component. The test of the gallery finds the component by its name. */
export function Specimen({ name, children }: { name: string; children: ReactNode }) {
  if (ONLY !== null && ONLY !== name) return null
  return (
    <section className="specimen" data-specimen={name} aria-label={name}>
      <p className="specimen-name" lang="en">
        {name}
      </p>
      <div className="specimen-body">{children}</div>
    </section>
  )
}

/** Shows the element that `of` selects inside `children` as if the pointer or the focus were on it. */
export function Shown({ state, of, children }: { state: ShownState; of: string; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current?.querySelector<HTMLElement>(of)
    // A pressed element also has the pointer on it.
    if (element) element.dataset.shown = state === 'pressed' ? 'hover pressed' : state
  }, [state, of])
  return (
    <div ref={place} className="shown">
      {children}
    </div>
  )
}

/** Clicks the element that `of` selects inside `children`, as a user does to open a part. */
export function Clicked({ of, children }: { of: string; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector<HTMLElement>(of)?.click(), [of])
  return <div ref={place}>{children}</div>
}

/** The pause between two presses of a key at a chart, in milliseconds. */
const PRESS_MS = 100

/**
 * Presses a key at the chart of `children` until the chart shows its line. The chart loads late and is then drawn again. The key
 * stands for a pointer on a point of the chart.
 */
export function Pointed({ press, children }: { press: 'Home' | 'End'; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setInterval(() => {
      if (place.current?.querySelector('.u-cursor-x:not(.u-off)')) return clearInterval(timer)
      const event = new KeyboardEvent('keydown', { key: press, bubbles: true, cancelable: true })
      place.current?.querySelector('[role=slider]')?.dispatchEvent(event)
    }, PRESS_MS)
    return () => clearInterval(timer)
  }, [press])
  return <div ref={place}>{children}</div>
}

/**
 * Shows components in a window of their own inside the page: a whole frame of a console, a modal dialog, or the other density.
 * `part` selects the element whose size the test of the gallery compares. Without a height, the window fits its content.
 */
export function Frame({
  name,
  height,
  part,
  density = 'comfortable',
  children,
}: {
  name: string
  height?: number
  part: string
  density?: 'comfortable' | 'compact'
  children: ReactNode
}) {
  const language = useLanguage()
  const scheme = useComputedColorScheme('light')
  const [root, setRoot] = useState<HTMLElement | null>(null)
  const fill = (inner: Document | null) => {
    if (inner === null) return
    const { documentElement: html, head, body } = inner
    Object.assign(html.dataset, { ...document.documentElement.dataset, density })
    html.lang = language
    inner.title = name
    head.append(Object.assign(inner.createElement('style'), { textContent: stylesOfPage() }))
    setRoot(body.appendChild(inner.createElement('div')))
  }
  useEffect(() => {
    const frame = root?.ownerDocument.defaultView?.frameElement
    if (root === null || frame == null || height !== undefined) return
    const watch = new ResizeObserver(() => frame.setAttribute('height', String(Math.ceil(root.scrollHeight) + 2)))
    watch.observe(root)
    return () => watch.disconnect()
  }, [root, height])
  return (
    <>
      <iframe
        title={name}
        className="frame"
        data-part={part}
        height={height}
        srcDoc="<!doctype html><html><head></head><body></body></html>"
        onLoad={(event) => fill(event.currentTarget.contentDocument)}
      />
      {root === null
        ? null
        : createPortal(
            <MantineProvider
              theme={theme}
              cssVariablesResolver={cssVariables}
              forceColorScheme={scheme}
              getRootElement={() => root.ownerDocument.documentElement}
            >
              {children}
            </MantineProvider>,
            root,
          )}
    </>
  )
}
