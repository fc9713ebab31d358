# frozen_string_literal: true

require "test_helper"
require "cgi/escape"
require "holdup/loader"

# From each page to each: what was chosen on one is chosen on all.
class Holdup::Web::LinksTest < Minitest::Test
  include Dashboard

  KEPT = {"lang" => "ja", "theme" => "dark", "host" => "web-1", "since" => "17m"}.freeze
  # Links to the same page in another language, theme or span, and to a part of the page.
  LINK = /(?:href|action|data-(?!ready|live|series)[a-z]+)="(\/[^"]*)"/
  ASSET = %r{\A/assets/}

  def test_language_colours_host_and_span_stay_on_every_link_of_every_page
    crawl do |path, body|
      links(body).each do |link|
        asked = parameters(link)
        assert_includes Holdup::Web::App::Theme::KNOWN, asked["theme"], "#{path}: #{link}"
        assert_includes %w[en ja], asked["lang"], "#{path}: #{link}"
        assert_equal KEPT["host"], asked["host"], "#{path}: #{link}"
        assert asked["since"], "#{path}: #{link}"
      end
      lost = links(body).reject { |link| (KEPT.to_a - parameters(link).to_a).size < 2 }
      assert_empty lost, "#{path}: more than one of these changes"
    end
  end

  def test_every_form_has_what_was_chosen
    crawl do |path, body|
      body.scan(%r{<form.*?</form>}m) do |form|
        names = form.scan(/name="(\w+)"/).flatten
        assert_empty KEPT.keys - names, path
      end
    end
  end

  def test_old_addresses_lead_to_pages_with_what_was_chosen
    Holdup::Web::Pages::FORMER.each do |old, name|
      ["", ".csv"].each do |ending|
        get "/#{old}#{ending}", KEPT
        assert_equal 301, last_response.status
        moved = URI(last_response.headers["location"])
        assert_equal ["/#{name}#{ending}", KEPT.sort], [moved.path, URI.decode_www_form(moved.query).sort]
      end
    end
  end

  # Each page once, and each link on it once.
  def crawl
    waiting = ["/?#{URI.encode_www_form(KEPT)}"]
    seen = {}
    while (link = waiting.shift)
      path = link[/\A[^?]*/]
      next if seen[path] || path.include?(".")
      seen[path] = true
      get link
      assert_equal 200, last_response.status, link
      yield path, last_response.body
      waiting.concat(links(last_response.body))
    end
    missing = Holdup::Web::Pages::LISTED.drop(1).map { |name| "/#{name}" } - seen.keys
    assert_empty missing, "pages without a link"
  end

  def links(body)
    found = body.gsub(%r{<form[^>]*>}, "").scan(LINK).flatten.map { |link| CGI.unescapeHTML(link) }
    found.uniq.reject { |link| ASSET.match?(link) }
  end

  def parameters(link) = URI.decode_www_form(URI(link).query.to_s).to_h
end
