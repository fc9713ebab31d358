# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::TemplateHelpersTest < Minitest::Test
  include Dashboard

  def links
    last_response.body.scan(/(?:href|action)="([^"]*)"/).flatten.uniq - ["#main"]
  end

  def test_links_stay_under_the_path_that_it_is_mounted_at
    [["", nil, "/"], ["/holdup", nil, "/holdup/"], ["/holdup", "/shop", "/shop/holdup/"],
      ["/shop/holdup", "/shop", "/shop/holdup/"]].each do |script, prefix, start|
      get "/", {}, {"SCRIPT_NAME" => script, "HTTP_X_FORWARDED_PREFIX" => prefix}.compact
      assert(links.all? { |link| link.start_with?(start) && !link.start_with?("//") }, links.inspect)
    end
  end

  def test_a_chosen_span_has_the_units_of_the_language
    {"en" => "40m", "ja" => "40分"}.each do |lang, span|
      get "/", {"since" => "40m", "lang" => lang}
      assert_includes last_response.body, %(<span class="chosen">#{span}</span>)
    end
  end

  def test_ignores_a_prefix_that_is_not_a_path
    ["//evil.example", "https://evil.example", "/a\"b", "/a b", "javascript:x", "/a/../b?c"].each do |prefix|
      get "/", {}, {"HTTP_X_FORWARDED_PREFIX" => prefix}
      refute_includes last_response.body, prefix
    end
  end

  def test_links_keep_what_was_asked
    get "/", {"since" => "6h", "name" => "Orders*", "lang" => "ja"}
    others = links.grep(/\/(requests|jobs|captures|advice|compare|health)\?/).uniq
    assert_equal 6, others.grep(/\?since=6h&amp;name=Orders(\*|%2A)&amp;lang=ja/).size, others.inspect
  end

  def test_colours_are_chosen_by_the_address
    dark = %r{<link rel="stylesheet" href="/assets/dark-\h{12}\.css" media="([^"]+)">}
    both = "screen and (prefers-color-scheme: dark)"
    {
      nil => ["light dark", both],
      "light" => ["light", nil],
      "dark" => %w[dark screen],
      "x" => ["light dark", both]
    }.each do |theme, (scheme, media)|
      get "/", {"theme" => theme}.compact
      assert_equal [scheme, media],
        [last_response.body[/name="color-scheme" content="([^"]+)"/, 1], last_response.body[dark, 1]]
    end
    get "/", {"theme" => "dark", "since" => "6h"}
    assert_includes links, "/requests?since=6h&amp;theme=dark"
    assert_includes links, "/?since=6h&amp;theme=light"
  end

  def test_a_page_that_refuses_has_the_language_and_the_colours_too
    get "/nowhere", {"theme" => "dark", "lang" => "ja"}
    assert_includes last_response.body, %(media="screen")
    assert_includes links, "/health?lang=ja&amp;theme=dark"
  end

  def test_names_wrap_between_their_parts_and_stay_text
    view = Holdup::Web::TemplateHelpers.new(request: nil, words: nil, query: nil, name: nil)
    assert_equal "Admin<wbr>::Orders<wbr>#index", view.breaking("Admin::Orders#index")
    assert_equal "GET /<wbr>a/<wbr>:id", view.breaking("GET /a/:id")
    assert_equal "&lt;a&gt;&#39;&amp;<wbr>#39;", view.breaking("<a>'&#39;")
    assert_equal "", view.breaking("")
  end

  def test_moments_in_sentences_are_exact_for_scripts
    words = Holdup::View::Words.new
    view = Holdup::Web::TemplateHelpers.new(request: nil, words:, query: nil, name: nil)
    {
      "since 2026-11-21 12:03 +09:00." =>
        %(since <time datetime="2026-11-21T03:03:00Z">2026-11-21 12:03 +09:00</time>.),
      "2026-11-21 12:03:04 UTC" =>
        %(<time datetime="2026-11-21T12:03:04Z" data-seconds>2026-11-21 12:03:04 UTC</time>),
      "2026-11-21 12:00 - 2026-11-21 13:00 +01:00" =>
        %(<time datetime="2026-11-21T11:00:00Z">2026-11-21 12:00</time> - ) +
          %(<time datetime="2026-11-21T12:00:00Z">2026-11-21 13:00 +01:00</time>),
      "<b> 2026-99-99 12:00 UTC" => "&lt;b&gt; 2026-99-99 12:00 UTC",
      "2026-11-21 12:00" => "2026-11-21 12:00"
    }.each { |text, html| assert_equal html, view.sentence(text) }
  end

  def test_names_of_pages_in_sentences_are_links
    request = Rack::Request.new("SCRIPT_NAME" => "/holdup")
    {"en" => ["the Compare page", "See the Compare page."], "ja" => ["「比較」ページ", "「比較」ページで"]}
      .each do |language, (name, text)|
      words = Holdup::View::Words.new(language, page: true)
      kept = {"since" => "6h"}
      view = Holdup::Web::TemplateHelpers.new(request:, words:, query: nil, name: nil, kept:)
      assert_equal text.sub(name, %(<a href="/holdup/compare?since=6h">#{name}</a>)), view.sentence(text)
    end
  end

  def test_says_how_old_the_newest_figures_are
    now_ns = 1_790_000_000 * 1_000_000_000
    {
      7_000_000_000 => "The newest figures are 7.00 s old.",
      0 => "The newest figures are less than a second old.",
      -400_000_000 => "The newest figures are less than a second old."
    }.each { |age_ns, said| assert_equal said, view.newest(now_ns - age_ns, nil, now_ns) }
    assert_nil view.newest(nil, nil, now_ns)
  end

  def test_says_that_the_clock_was_set_back_when_the_newest_figures_are_of_a_later_time
    now_ns = 1_790_000_000 * 1_000_000_000
    waiting = Holdup::Queries::UncollectedUnits::Uncollected.new(units: 2, at_ns: nil,
      collecting: true)
    said = view.newest(now_ns + 90_000_000_000, waiting, now_ns)

    assert_includes said, "dated 90.0 s ahead of the present time: the clock was set back. "
    assert_includes said, "The collector stores 2 requests and jobs"
  end

  def test_files_of_pages_never_change
    get "/"
    style = links.grep(/holdup-\h{12}\.css\z/).first
    @app = dashboard(auth: nil)
    get style
    assert_equal [200, "text/css; charset=utf-8", "public, max-age=31536000, immutable"],
      [last_response.status, *last_response.headers.values_at("content-type", "cache-control")]
    assert_operator last_response.body.bytesize, :<, 15_000
    refute_match(/url\(|@import|https?:/, last_response.body)
  end

  def view
    words = Holdup::View::Words.new("en")
    Holdup::Web::TemplateHelpers.new(request: nil, words:, query: nil, name: nil)
  end

  def test_names_may_wrap_between_their_words_and_nowhere_else
    breaking = view.breaking("Admin::OrdersController#index")
    assert_equal "Admin<wbr>::OrdersController<wbr>#index", breaking
    assert_equal "GET /<wbr>orders/<wbr>:id", view.breaking("GET /orders/:id")
    ["82.0 kB", "4/4", "GraphQL", "vCPUs"].each { |text| assert_equal text, view.breaking(text) }
  end

  def test_sentences_have_code_and_numbers_that_keep_their_unit
    assert_equal "Run <code>holdup doctor --json</code> &amp; wait 30\u00A0s.",
      view.sentence("Run `holdup doctor --json` & wait 30 s.")
    assert_equal "<code>&lt;b&gt;</code>", view.sentence("`<b>`")
    assert_equal "a ` alone", view.sentence("a ` alone")
    assert_equal "12.3\u00A0% of 4 threads", view.sentence("12.3 % of 4 threads")
    assert_equal "the OrdersController#index", view.sentence("the OrdersController#index")
  end
end
