/** How near the end may come before more is asked for. */
const AHEAD = "1200px";

/** Puts the next page of the library behind the one that is seen, as its end comes near. Its link stays, and does the same when it is pressed. */
export function goOnByItself(): void {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) goOn(target as HTMLAnchorElement, seen);
    },
    { rootMargin: AHEAD },
  );
  const watch = () => {
    const link = nextLink();
    if (link) seen.observe(link);
  };
  watch();
  document.addEventListener("exchanged", watch);
}

function nextLink(within: ParentNode = document): HTMLAnchorElement | null {
  return within.querySelector<HTMLAnchorElement>("#results a[rel=next]");
}

async function goOn(link: HTMLAnchorElement, seen: IntersectionObserver): Promise<void> {
  seen.unobserve(link);
  const answer = await fetch(link.href).catch(() => null);
  // Signed out meanwhile, or no server: the link is there to be pressed.
  if (!answer?.ok || answer.redirected || !link.isConnected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const more = page.querySelector("#results .tiles");
  const tiles = document.querySelector("#results .tiles");
  if (more && tiles) tiles.append(...more.children);
  else if (more) document.querySelector("#results")?.prepend(more);
  const next = nextLink(page);
  if (!next) {
    link.remove();
    return;
  }
  link.href = next.href;
  seen.observe(link);
}
