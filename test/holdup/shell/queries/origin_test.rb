# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/learned"
require_relative "../../../support/played_fleet"
require_relative "../../../support/played_store"

class Holdup::Queries::OriginTest < Minitest::Test
  Origin = Holdup::Queries::Origin

  # Each in a store of its own is what each must be in the common one.
  def test_a_host_by_its_name_is_no_pattern
    ["web-1", "web[1]", "web*", "a{b,c}", "back\\slash", "?"].each do |name|
      origin = Holdup::Queries::Origin.of_host(name)
      assert origin.host?(name), name
      refute origin.host?("web1")
    end
  end

  def test_shows_one_application_of_a_shared_store
    shop, admin = %w[shop admin].each_with_index.map { |app, index|
      PlayedStore.new(PlayedRecording.new(minutes: 2, seed: index), facts: {"app" => app}, pid: 7 + index)
    }
    common, alone = [[shop, admin], [admin]].map do |applications|
      Holdup::Store.open("memory:").tap { |store| applications.each { |played| played.fill(store) } }
    end
    found = Origin.new(app: "admin").of(common)
    span = [shop.from_s, shop.to_s]
    [:windows, :sums, :unit_samples].each { |what|
      assert_equal alone.public_send(what, *span).to_set, found.public_send(what, *span).to_set, what
    }
    assert_equal [alone.settings, alone.setting_starts(*span, step_s: 60)],
      [found.settings, found.setting_starts(*span, step_s: 60)]
    outcomes = %w[shop admin].map { |app| Learned.outcome(app:) }.each { |outcome| common.keep(outcome) }
    assert_equal outcomes.last(1), found.outcomes
    assert_equal alone.processes(*span).to_set,
      found.processes(*span).map { |sample| sample.except(:shared) }.to_set
    assert_empty found.sums(*span, settings: common.settings - alone.settings)
    assert_equal %w[admin shop], Origin.names(common.settings, :app)
  end

  # Both can use the CPUs of a container, and one of them alone is looked at.
  def test_a_shared_container_has_no_ceiling_of_one_application
    shop, admin = %w[shop admin].each_with_index.map { |app, index|
      PlayedStore.new(PlayedRecording.new(minutes: 2, seed: index), facts: {"app" => app}, pid: 7 + index)
    }
    ceilings = [[shop], [shop, admin]].map do |played|
      store = Holdup::Store.open("memory:").tap { |one| played.each { |each| each.fill(one) } }
      own = Origin.new(app: "shop").of(store)
      summary = Holdup::Queries::LoadSummary.call(own, from_s: shop.from_s, to_s: shop.to_s)
      summary.processes.machines.map { |machine| machine.ceiling&.processes }
    end
    assert_equal [[1], [nil]], ceilings
  end

  def test_an_application_that_has_no_name
    store = Holdup::Store.open("memory:").tap { |one| one.commit(SampleWindows.new(minutes: 1).to_a, {}) }
    assert_equal 1, Origin.new(app: "-").of(store).settings.size
    error = assert_raises(Holdup::UsageError) { Origin.new(app: "shop").of(store) }
    assert_match(/there are -/, error.message)
  end

  def test_without_limits_it_is_the_store_itself
    store = Holdup::Store.open("memory:")
    assert_same store, Origin.new.of(store)
  end

  # As a collector of these hosts alone would have written them.
  def test_shows_the_hosts_that_a_glob_matches
    played = PlayedFleet.new(hosts: 11)
    found = Origin.new(host: "web-1*").of(played.store)
    span = [played.from_s, played.to_s]
    hosts = %w[web-1 web-10 web-11]
    assert_equal hosts, found.hosts
    assert_equal hosts, found.windows(*span).map(&:host).uniq.sort
    assert_equal hosts, found.processes(*span).map { |sample| sample[:host] }.uniq.sort
    assert_equal [played.units * 3], found.sums(*span).map { |sum| sum.window.count }
    assert_equal 1, found.setting_starts(*span, step_s: 3600).size
  end

  def test_shows_one_role
    web = PlayedFleet.new(hosts: 1)
    both = PlayedFleet.new(hosts: 1, setting: {"jobs" => "good_job"})
    store = both.fill(web.store)
    roles = Origin.names(store.settings, :role)
    assert_equal ["puma", "puma+good_job"], roles
    counts = roles.map do |role|
      Origin.new(role:).of(store).sums(web.from_s, web.to_s).map { |sum| sum.window.count }
    end
    assert_equal [[web.units], [both.units]], counts
  end

  def test_shows_one_revision_by_its_name_or_its_beginning
    revisions = {"web-2" => {0.. => "1.01"}, "web-3" => {0.. => "2.0"}}
    store = PlayedFleet.new(hosts: 3, revisions:).store
    revisions = ["1.0", "1.01", "2"].map do |revision|
      Origin.new(revision:).of(store).settings.map { |setting| setting["revision"] }
    end
    assert_equal [["1.0"], ["1.01"], ["2.0"]], revisions
  end

  def test_an_unknown_name_is_answered_with_those_that_exist
    store = PlayedFleet.new(hosts: 12).store
    errors = {host: "db*", role: "sidekiq", revision: "9"}.to_h do |part, name|
      [part, assert_raises(Holdup::UsageError) { Origin.new(part => name).of(store) }.message]
    end
    assert_match(/\Athe store has no host named "db\*"; there are web-1, .*, \.\.\.\z/, errors[:host])
    assert_match(/\Athe store has no role named "sidekiq"; there are puma\z/, errors[:role])
    assert_match(/\Athe store has no revision named "9"; there are 1.0\z/, errors[:revision])
  end
end
