# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/setting"

class Holdup::Analysis::SettingDifferences::SettingLabelsTest < Minitest::Test
  def setting(**facts)
    Holdup::Setting.new(attributes: facts)
  end

  def names
    Holdup::Analysis::SettingDifferences::SettingLabels.new([web, jobs])
  end

  def web = setting(ruby: "3.4.5", threads: 5)

  def jobs = setting(ruby: "3.4.5", jobs: "sidekiq")

  def test_what_differs_and_what_is_shared
    assert_equal [%w[threads=5], %w[jobs=sidekiq]], [web, jobs].map { |one| names.facts(one) }
    assert_equal({"ruby" => "3.4.5"}, names.shared)
    assert_equal "#{web.fingerprint[0, 6]}: threads=5", names.name(web)
  end

  def test_one_that_lacks_what_the_other_has
    without = setting(ruby: "3.4.5")
    labels = Holdup::Analysis::SettingDifferences::SettingLabels.new([web, without])
    assert_equal without.fingerprint[0, 6], labels.name(without)
  end
end
