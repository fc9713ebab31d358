# frozen_string_literal: true

require "test_helper"
require "holdup/web"
require "json"

class Holdup::Web::AdviceTest < Minitest::Test
  include Dashboard

  def app
    @app ||= begin
      require "holdup/stores"
      played = PlayedStore.new(PlayedRecording.new(minutes: 12))
      store = Holdup::Stores.open("memory:").tap { |empty| played.fill(empty) }
      dashboard(store:, clock: CommandLine::Still.new(now_s: played.to_s))
    end
  end

  def test_the_verdict_the_table_and_what_to_write
    get "/advice", {"since" => "12m"}
    assert_equal 200, last_response.status
    assert_match(/CHANGE processes x threads of each host to \d x \d/, text)
    assert_includes last_response.body, %(<span class="new">+ workers 2</span>)
    assert_includes text, "Amdahl"
  end

  def test_nobody_replays_beside_another
    lock = Holdup::Web::Pages::Advice.const_get(:REPLAYING)
    lock.synchronize { Thread.new { get "/advice" }.join }
    assert_equal 503, last_response.status
    assert_includes text, "this is being replayed for somebody else; ask again in a few seconds"
  end
end
