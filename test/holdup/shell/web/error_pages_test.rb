# frozen_string_literal: true

require "test_helper"
require "cgi/escape"
require "holdup/loader"

class Holdup::Web::ErrorPagesTest < Minitest::Test
  include Dashboard

  def test_explains_parameters_that_contradict_each_other
    assert_equal 400, get("/requests?since=%25ZZ").status
    {
      "since=x" => "since can",
      "since=1h&until=2h" => "since is not before until",
      "kind=cat" => "kind can",
      "sort=nme" => "did you mean name?",
      "sort=p95&dir=up" => "dir can",
      "limit=0" => "limit can",
      "least=0" => "least can",
      "threads=x" => "threads can",
      "name=%00" => "is not text",
      "name=#{"a" * 1001}" => "too long",
      "x=#{"a" * 9000}" => "too long"
    }.each do |query, sentence|
      get "/requests?#{query}"
      assert_equal 400, last_response.status, query[0, 60]
      assert_includes CGI.unescapeHTML(text), sentence
    end
  end

  def test_refusals_are_in_the_language_of_the_page
    get "/requests", {"since" => "x", "lang" => "ja"}
    assert_includes text, "アドレスの指定に誤りがあります。 「since」に &quot;x&quot; は指定できません。 過去 10 年以内の時刻を"
    refute_includes markup, %(lang="en">since)
  end

  # @param failure [Exception] of the store
  def failing(failure)
    @app = Holdup::Web.new(store: -> { raise failure }, dir: "/nonexistent", auth: :none)
  end

  def test_a_store_that_can_not_be_read_is_said_with_what_to_do
    failing(Holdup::Error.new("the store is gone", "start it"))
    get "/requests"
    assert_equal 503, last_response.status
    assert_includes text, "the store is gone"
    assert_includes text, "start it"
  end

  # Its message may have what nobody is to see; the log of the server has all of it.
  def test_a_failure_of_ours_is_named_and_logged
    failing(IndexError.new("secret"))
    log = StringIO.new
    get "/requests", {}, {"rack.errors" => log}
    assert_equal 500, last_response.status
    assert_includes text, "IndexError"
    refute_includes text, "secret"
    assert_match(/\Aholdup: .*secret/, log.string)
  end

  def test_links_of_a_page_that_is_not_there_keep_what_was_chosen
    get "/nowhere", {"lang" => "ja", "since" => "17m", "host" => "web-1"}
    assert_equal 404, last_response.status
    assert_includes markup, %(href="/requests?since=17m&amp;host=web-1&amp;lang=ja")
  end

  def test_keeps_the_navigation_and_the_language_of_the_page_that_failed
    failing(Holdup::Error.new("the store is gone"))
    get "/jobs", {"lang" => "ja", "theme" => "dark", "since" => "x"}
    assert_match(%r{<a[^>]*aria-current[^>]*>\s*[^<]*ジョブ}, markup)
    assert_includes markup, "lang=ja"
    refute_includes markup, "since=x"
  end
end
