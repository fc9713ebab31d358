# frozen_string_literal: true

# Sleeps, as code does that is polite to a rate limit.
class NotificationsController < ApplicationController
  def create
    sleep 0.04
    head :accepted
  end
end
