# frozen_string_literal: true

require "test_helper"
require "support/example_deaths"

class Holdup::Deaths::CommandTest < Minitest::Test
  include CommandLine
  include ExampleDeaths
  include TemporaryFolder

  def deaths(*arguments)
    path = File.join(folder, "a.sqlite3")
    unless File.exist?(path)
      store = Holdup::Store.open(path)
      seen = %w[web-1 db-1].map { |host| {at_s: 1, host:, pid: 1} }
      store.commit([], {}, processes: seen, deaths: [hogged_death, death(ago_s: 7200, pid: 12),
        death(ago_s: 2 * 86_400, pid: 13, host: "db-1")])
      store.close
    end
    holdup("deaths", "--store", path, *arguments, now_s: NOW_NS / NS)
  end

  def test_lists_the_deaths_of_the_last_day
    said = deaths
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^2 processes died: 1 out of memory, 1 unknown\.$/, said.out)
    refute_includes said.out, "puma 13"
    said.out.each_line { |line| assert_operator line.chomp.size, :<=, 80, line }
  end

  def test_a_span_and_a_host
    assert_match(/^3 processes died/, deaths("-s", "7d").out)
    assert_match(/^1 process died/, deaths("--since", "7d", "--host", "db-*").out)
    assert_match(/^No process died\./, deaths("--since", "7d", "--until", "5d").out)
  end

  def test_an_id_shows_one_whenever_it_was
    old = death(ago_s: 2 * 86_400, pid: 13)
    assert_match(/^puma 13 died: it is gone/, deaths(old.id).out)
    assert_equal [13], JSON.parse(deaths(old.id, "--json").out)["deaths"].map { |one| one["pid"] }
  end

  def test_an_unknown_id
    said = deaths("abc-1")
    assert_equal 1, said.status
    assert_match(/no death "abc-1".*holdup deaths --since 90d/m, said.err)
  end

  def test_several_ids_and_a_span_without_time
    assert_match(/deaths takes one id, got 2/, deaths("a", "b").err)
    assert_match(/--since is not before --until/, deaths("--since", "1h", "--until", "2h").err)
  end

  def test_every_format
    assert_equal 2, JSON.parse(deaths("--json").out)["deaths"].size
    assert_match(/^\| .*puma 4711/, deaths("--markdown").out)
    assert_includes deaths("--lang", "ja").out, "2 個のプロセスが異常終了しました"
  end
end
