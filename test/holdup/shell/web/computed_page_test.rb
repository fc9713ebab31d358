# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "support/dashboard"
require "support/sample_processes"

# A page that takes seconds, by a computation that goes on until the test lets it end.
class Holdup::Web::ComputedPageTest < Minitest::Test
  include Dashboard

  SHORT_S = 0.01
  THREAD = "holdup-page"

  def setup
    @gate = Queue.new
    @begun = Queue.new
    @store = two_revisions
    @passing = HandClock.new
    @app = waiting_app
  end

  def teardown = @gate.close

  def two_revisions
    later = SampleWindows.new(setting: SampleWindows::SETTING.merge("revision" => "2"))
    sample_store.tap { |store| store.commit(later.to_a, {}) }
  end

  def waiting_app(patience_s: SHORT_S, **options)
    computations = Holdup::Web::Computations.new(clock: @passing, patience_s:, **options)
    clock = CommandLine::Still.new(now_s: sample.to_s)
    Holdup::Web.new(store: method(:opened).to_proc, dir: "/nonexistent", auth: :none, clock:, computations:)
  end

  # Computations open a store of their own.
  def opened
    if Thread.current.name == THREAD
      @begun << true
      @gate.pop
    end
    @store
  end

  def computed = @begun.size

  def complete(path = "/compare", **words)
    @gate << true
    wait_until { get(path, words).status == 200 }
  end

  def test_shows_the_page_with_its_title_and_navigation_while_it_is_computed
    get "/compare", {"lang" => "en", "since" => "15m"}
    assert_equal 202, last_response.status
    assert_includes markup, "<h1>Compare</h1>"
    assert_includes markup, %(aria-current="page">Compare</a>)
    assert_includes text, "Both sides are being compared. The comparison appears here by itself."
    refute_match(/\b202\b/, text)
    refute_includes markup, "download"
  end

  def test_asks_again_by_itself_with_scripts_and_without
    get "/compare", {"lang" => "en"}
    assert_includes markup, %(<noscript><meta http-equiv="refresh" content="1"></noscript>)
    assert_includes markup, %(data-wait="1")
    complete(lang: "en")
    refute_includes markup, "http-equiv"
    refute_includes markup, "data-wait"
  end

  def test_says_in_the_language_of_the_page_what_is_computed
    get "/compare", {"lang" => "ja"}
    assert_includes text, "2 つを比較しています。"
    get "/advice", {"lang" => "ja"}
    assert_includes text, "記録を別の設定でリプレイしています。"
  end

  def test_computes_once_for_languages_themes_and_files
    get "/compare", {"since" => "1h"}
    complete(since: "1h")
    shown = {"/compare" => {"lang" => "ja", "theme" => "dark"}, "/compare.json" => {},
             "/compare.md" => {"lang" => "ja"}, "/compare.csv" => {}}
    shown.each do |path, words|
      get path, {"since" => "1h", **words}
      assert_equal 200, last_response.status, path
    end
    assert_equal 1, computed
  end

  def test_another_question_is_computed_anew
    get "/compare", {"since" => "1h"}
    complete(since: "1h")
    get "/compare", {"since" => "1h", "kind" => "job"}
    assert_equal 202, last_response.status
  end

  def test_the_headers_alone_are_never_computed
    head "/compare"
    assert_equal 202, last_response.status
    head "/compare.json"
    assert_equal 503, last_response.status
    assert_equal 0, computed
    get "/compare"
    complete
    head "/compare"
    assert_equal 200, last_response.status
    head "/compare.json"
    assert_equal 200, last_response.status
    assert_empty last_response.body
    assert_equal 1, computed
  end

  def test_a_program_gets_retry_after
    program = Thread.new { Rack::MockRequest.new(app).get("/compare.json") }
    wait_until { computed == 1 }
    get "/compare.md", {"lang" => "en"}
    assert_equal 503, last_response.status
    assert_equal "1", last_response.headers["retry-after"]
    assert_equal "text/plain; charset=utf-8", last_response.headers["content-type"]
    assert_match(/\AReading the recording\. \d+ s so far/, last_response.body)
    @gate << true
    assert_equal 200, program.value.status
    assert_kind_of Hash, JSON.parse(program.value.body)
  end

  # Also when figures have come in since: the page was answered from what there was.
  def test_links_to_files_lead_to_what_the_page_shows
    get "/compare"
    complete
    link = markup[%r{href="(/compare\.json\?computed=\d+)" download}, 1]
    @store = Holdup::Store.open("memory:")
    @passing.monotonic_ns += (Holdup::Queries::KeptResults::AgeLimits::GRACE_S + 1) * 1_000_000_000
    get link
    assert_equal 200, last_response.status
    get "/compare"
    assert_equal 202, last_response.status
    assert_equal 2, computed
  end

  # Of a request of its own, for threads.
  def status(path)
    Rack::MockRequest.new(app).get(path).status
  end

  def test_twenty_people_with_twenty_questions_all_get_an_answer
    asked = Array.new(20) { |number| "/compare?since=#{number + 20}m" }
    40.times { @gate << true }
    threads = asked.map { |path|
      Thread.new {
        wait_until {
          status(path).then { |found|
            found unless found == 202
          }
        }
      }
    }
    assert_equal [200], threads.map(&:value).uniq
  end

  def test_twenty_people_with_one_question_get_one_computation
    40.times { @gate << true }
    threads = Array.new(20) { Thread.new { wait_until { status("/compare") == 200 } } }
    threads.each(&:join)
    assert_equal 1, computed
  end

  def test_a_question_that_can_not_be_read_is_not_computed
    get "/compare", {"before" => "x"}
    assert_equal 400, last_response.status
    get "/advice", {"if_threads" => "0"}
    assert_equal 400, last_response.status
    assert_equal 0, computed
  end

  def test_who_may_not_see_it_starts_nothing
    @app = Holdup::Web.new(store: -> { flunk }, dir: "/nonexistent")
    get "/advice"
    assert_equal 403, last_response.status
  end
end
