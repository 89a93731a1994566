/** Posts may contain frames from these hosts, and the content security policy of public pages allows them. */
export const VIDEO_HOSTS = ["www.youtube-nocookie.com", "www.youtube.com", "player.vimeo.com"];
