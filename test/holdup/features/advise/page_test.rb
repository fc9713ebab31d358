# frozen_string_literal: true

require "test_helper"
require "nokogiri"
require "holdup/loader"
require "json"
require_relative "../../../support/coarse_sizing"
require_relative "../../../support/learned"
require_relative "../../../support/played_store"

class Holdup::Web::AdviceTest < Minitest::Test
  one_ruby

  include CoarseSizing
  include Dashboard

  PLAYED = PlayedStore.usual

  def app
    @app ||= begin
      store = Holdup::Store.open("memory:").tap { |empty| PLAYED.fill(empty) }
      dashboard(store:, clock: CommandLine::Still.new(now_s: PLAYED.to_s), **@goal.to_h)
    end
  end

  def test_the_cheapest_fleet_where_prices_and_a_promise_are_configured
    configuration = Holdup::Configuration.build(
      env: {"HOLDUP_PRICES" => "vcpu=0.04,gb=0.005", "HOLDUP_SCALING" => "p95=100ms"}
    )
    @goal = Holdup::Web.goal(configuration)
    size_coarsely { get "/advice", {"since" => "12m", "kind" => "request"} }
    assert_equal 200, last_response.status
    assert_includes CGI.unescapeHTML(text), "Cheapest fleet that keeps p95 <= 100 ms at the peak of all hosts"
  end

  def test_the_verdict_the_table_what_to_write_and_what_would_be_otherwise
    size_coarsely {
      get "/advice", {"since" => "12m", "if_load" => "x0.5", "if_threads" => "3", "kind" => "request"}
    }
    assert_equal 200, last_response.status
    assert_match(/CHANGE processes x threads of each host to \d x \d/, text)
    assert_includes last_response.body, %(<span class="new">+ workers 2</span>)
    beginning = /Self-test: the present setting, grade [AB].* /
    ending = /Limits of every setting vCPUs of a host 2.00 memory of a host 4.00 GB.* Amdahl/
    assert_match(/#{beginning}#{ending}/, text)
    beginning = /Queued \+ GVL wait at p95 (falls|rises) by.* What if 3 threads, the load x0\.5\?.*/
    ending = / now replayed then.* Replay/
    assert_match(/#{beginning}#{ending}/, text)
    assert_match(/processes x threads 1 x 5 1 x 5 1 x 3/, text)
    assert_equal 3, last_response.body.scan("data-chart=").size
    assert_includes last_response.body, %(<input name="if_threads" value="3")
    assert_includes last_response.body, %(<input type="hidden" name="kind" value="request">)
  end

  # With the advice of `holdup advise --keep` in the store.
  def with_kept_advice
    store = Holdup::Store.open("memory:").tap { |empty| PLAYED.fill(empty) }
    @app = dashboard(store:, clock: CommandLine::Still.new(now_s: PLAYED.to_s + 600), **@goal.to_h)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {},
      clock: CommandLine::Still.new(now_s: PLAYED.to_s))
    Holdup::CLI::Places.stub(:writing, ->(_env, _url, &block) { block.call(store) }) do
      size_coarsely { Holdup::Advise::KeepCommand.new(console:).run }
    end
    @kept_store = store
    store.singleton_class.undef_method(:windows) # of which every computation reads some
  end

  def test_shows_what_a_collector_has_kept
    with_kept_advice
    get "/advice", {"since" => "24h"}
    assert_equal 200, last_response.status
    assert_match(/CHANGE processes x threads of each host to \d x \d/, text)
    assert_match(/Computed 10 min ago, in 1 s, and kept in the store\. Compute it again/, text)
    assert_includes CGI.unescapeHTML(last_response.body), %(href="/advice?since=24h&fresh=1")
    assert_match(/Self-test: the present setting, grade [AB].* Limits of every setting/, text)
    assert_equal 3, last_response.body.scan("data-chart=").size
    get "/advice.json", {"since" => "24h"}
    assert_equal [PLAYED.to_s, "request"], JSON.parse(last_response.body).values_at("to_s", "kind")
    get "/advice", {"since" => "24h", "lang" => "ja"}
    assert_includes text, "10 分前に計算し、ストアに保存した結果です"
  end

  # Beside the advice, also beside one that is kept.
  def test_how_right_predictions_have_been
    with_kept_advice
    get "/advice", {"since" => "24h"}
    assert_includes text, "No prediction has come true or false here yet."
    @kept_store.keep(Learned.outcome(1.25))
    get "/advice", {"since" => "24h"}
    assert_match(/here: 1 prediction of the p95 response, median error 20\.0 %; 0 of them at most a tenth/,
      text)
    get "/advice", {"since" => "24h", "lang" => "ja"}
    assert_includes text, "誤差の中央値 20.0 %"
  end

  def test_computes_what_no_collector_has_kept
    with_kept_advice
    [{"since" => "23h"}, {"since" => "24h", "if_load" => "x2"}, {"since" => "24h", "fresh" => "1"},
      {"since" => "24h", "host" => "web-1"}, {"since" => "24h", "until" => "1min"}, {"kind" => "job"}]
      .each do |asked|
        get "/advice", asked
        assert_equal 500, last_response.status, asked
      end
  end

  def test_a_question_that_can_not_be_read
    {"if_load" => "x0", "if_vcpus" => "-1", "if_threads" => "0", "if_processes" => "a",
     "if_slice" => "2s"}.each do |name, value|
      get "/advice", {"since" => "12m", name => value}
      assert_equal 400, last_response.status
      assert_includes CGI.unescapeHTML(text), "#{name} can't be"
    end
  end

  def test_what_can_not_be_replayed_says_why_and_no_more
    get "/advice", {"since" => "12m", "kind" => "job", "if_threads" => "3"}
    assert_equal 200, last_response.status
    assert_includes CGI.unescapeHTML(text), "Can't size yet: no jobs were recorded in this span."
    folded = Nokogiri::HTML5(last_response.body).at_css("details.fold")
    assert_equal "Causes", folded.at_css("summary").text.strip
    assert_match(/\AWhy: no jobs were recorded in this span/, folded.at_css(".notes").text.strip)
    refute_includes text, "What if 3 threads"
    get "/advice.json", {"since" => "12m", "kind" => "job", "if_threads" => "3"}
    assert_equal [200, "unknown", false],
      JSON.parse(last_response.body).then { |made|
        [last_response.status, made["verdict"],
          made.key?("what_if")]
      }
  end
end
