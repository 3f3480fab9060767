// Draws the chart of the first page. If the chart has no data, the page loads neither this file nor the chart library.

import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import UPlot, { type AlignedData, type Options } from 'uplot'
import { useTexts } from '../../ui/language.ts'
import { showAmount } from '../../ui/show.ts'
import { homeTexts } from './home-texts.ts'
import type { TrendPoint } from './trend.tsx'

const HEIGHT = 260

/** Shortens a number for an axis: 1250000 becomes "1.25M". */
function shortNumber(value: number): string {
  const [size, unit] = value >= 1e9 ? [1e9, 'B'] : value >= 1e6 ? [1e6, 'M'] : value >= 1e3 ? [1e3, 'k'] : [1, '']
  return `${Number((value / size).toFixed(2))}${unit}`
}

/**
 * Returns the index of the point to which a key moves. Null as `from` means before the first move. Undefined means that the key
 * moves nothing.
 */
function placeAfter(key: string, from: number | null, last: number): number | undefined {
  const to = {
    ArrowRight: (from ?? -1) + 1,
    ArrowUp: (from ?? -1) + 1,
    ArrowLeft: (from ?? last + 1) - 1,
    ArrowDown: (from ?? last + 1) - 1,
    Home: 0,
    End: last,
  }[key]
  return to === undefined ? undefined : Math.min(last, Math.max(0, to))
}

/**
 * Draws the chart in the colours of the page. The arrow keys, Home and End move from point to point, as on a slider. So screen
 * readers can read each point.
 */
export function Plot({ steps, currency, label }: { steps: readonly TrendPoint[]; currency: string; label: string }) {
  const t = useTexts(homeTexts)
  const scheme = useComputedColorScheme('light')
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot | null>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const drawn = JSON.stringify(steps)
  // biome-ignore lint/correctness/useExhaustiveDependencies: new colours or new numbers draw the chart again
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const plot = new UPlot(plotOptions(element, steps, setPointed), plotData(steps), element)
    chart.current = plot
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    watch.observe(element)
    // A canvas does not draw its text again by itself when the font of the page arrives.
    let is_shown = true
    void document.fonts.ready.then(() => is_shown && plot.redraw(false))
    return () => {
      is_shown = false
      watch.disconnect()
      plot.destroy()
    }
  }, [drawn, scheme])
  const step = pointed === null ? undefined : steps[pointed]
  const shown =
    step === undefined
      ? t.point
      : `${step.label}: ${showAmount(step.amount, currency)} · ${step.rate === null ? '–' : `${step.rate} %`}`
  const move = (event: KeyboardEvent) => {
    const to = placeAfter(event.key, pointed, steps.length - 1)
    const plot = chart.current
    if (to === undefined || plot === null) return
    event.preventDefault()
    plot.setCursor({ left: plot.valToPos(to, 'x'), top: plot.over.clientHeight / 2 })
    setPointed(to)
  }
  return (
    <>
      <div
        ref={place}
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={steps.length}
        aria-valuenow={(pointed ?? 0) + 1}
        aria-valuetext={shown}
        aria-readonly="true"
        onKeyDown={move}
      />
      <p className="beside" aria-hidden="true">
        {shown}
      </p>
    </>
  )
}

function plotData(steps: readonly TrendPoint[]): AlignedData {
  return [steps.map((_, i) => i), steps.map(({ amount }) => Number(amount)), steps.map(({ rate }) => rate)]
}

function plotOptions(
  element: HTMLElement,
  steps: readonly TrendPoint[],
  point: (place: number | null) => void,
): Options {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const text = colour('--mantine-color-text')
  const grid = { stroke: colour('--line'), width: 1 }
  const font = `12px ${style.fontFamily}`
  const axis = { stroke: text, font, ticks: grid }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.6, Math.max(steps.length - 0.4, 0.6)] },
      amount: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
      rate: { range: [0, 105] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: [1, 2, 3, 4, 6, 7, 10],
        space: 56,
        values: (_plot, places) => places.map((place) => (Number.isInteger(place) ? (steps[place]?.short ?? '') : '')),
      },
      { ...axis, scale: 'amount', grid, size: 56, values: (_plot, values) => values.map(shortNumber) },
      {
        ...axis,
        scale: 'rate',
        side: 1,
        grid: { show: false },
        size: 54,
        incrs: [25],
        values: (_plot, values) => values.map((value) => `${value}%`),
      },
    ],
    series: [
      {},
      {
        scale: 'amount',
        fill: colour('--plot-amount'),
        stroke: colour('--plot-amount'),
        width: 0,
        points: { show: false },
        ...(UPlot.paths.bars ? { paths: UPlot.paths.bars({ size: [0.7, 48] }) } : {}),
      },
      {
        scale: 'rate',
        stroke: colour('--plot-rate'),
        width: 2,
        dash: [6, 3],
        points: { show: true, size: 7, stroke: colour('--plot-rate'), fill: colour('--mantine-color-body') },
      },
    ],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  }
}
