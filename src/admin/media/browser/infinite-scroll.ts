/** Distance from the end of the list at which the next page is loaded. */
const LOAD_AHEAD = "1200px";

/** Appends the library's next page near the end of the list. The link to it is a fallback. */
export function loadMoreOnScroll(): void {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) appendNextPage(target as HTMLAnchorElement, seen);
    },
    { rootMargin: LOAD_AHEAD },
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

async function appendNextPage(link: HTMLAnchorElement, seen: IntersectionObserver): Promise<void> {
  seen.unobserve(link);
  const answer = await fetch(link.href).catch(() => null);
  // The session has ended or the server is unreachable: the link stays.
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
